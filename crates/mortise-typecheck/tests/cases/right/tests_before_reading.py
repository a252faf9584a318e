quote = await mcp__market__quote(ticker="A")
print(quote["prise"] if "prise" in quote else quote["price"])
