quote = await mcp__market__quote(ticker="A")
print(quote["prize"] if quote.get("prize") else quote["price"])
if {"volum"} <= quote.keys():
    print(quote["volum"])
