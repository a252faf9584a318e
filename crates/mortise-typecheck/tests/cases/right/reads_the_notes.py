rows = await mcp__market__history(ticker="A")
quote = await mcp__market__quote(ticker="A")
print(quote["_notes"] if isinstance(quote, dict) else None)
