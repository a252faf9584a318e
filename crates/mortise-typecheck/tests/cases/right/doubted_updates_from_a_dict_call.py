quote = await mcp__market__quote(ticker="A")
quote.update(dict(prize=5))
print(quote["prize"])
