prices = await mcp__market__prices()
print(prices["base"], prices["eur"], prices["usd"] * 2)
