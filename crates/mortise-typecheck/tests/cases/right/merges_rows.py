quote = await mcp__market__quote(ticker="A")
row = {**quote, "total": quote["price"] * 2}
print(row["total"], dict(quote)["whatever"] if False else "")
other = quote | {"extra": 1}
print(other["extra"])
quote.update(prices=1, note="x")
print(quote["prices"])
