rows = await mcp__finance__income(ticker="MSFT", year=2024)
print(len(rows))
print(rows[0]["revenu"])
