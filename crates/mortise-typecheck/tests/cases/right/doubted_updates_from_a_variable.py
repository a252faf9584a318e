quote = await mcp__market__quote(ticker="A")
extra = {"prize": 1}
quote.update(extra)
print(quote["prize"])
