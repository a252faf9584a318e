import asyncio

rows, content = await with_content(mcp__market__history(ticker="A"))
print(rows[0]["revenue"], [block["text"] for block in content if block["type"] == "text"])
pairs = await asyncio.gather(*(with_content(mcp__market__quote(ticker=t)) for t in ("A", "B")))
for quote, content in pairs:
    print(quote, len(content))
try:
    await with_content(mcp__market__history(ticker="?"))
except ToolError as error:
    print([block["type"] for block in error.content])
