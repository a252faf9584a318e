quote = await mcp__market__quote(ticker="A")
quote["prices"] = [quote["price"]]
print(quote["prices"])
