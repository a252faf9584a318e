def add(row: dict):
    row["prize"] = 1
quote = await mcp__market__quote(ticker="A")
add(quote)
print(quote["prize"])
