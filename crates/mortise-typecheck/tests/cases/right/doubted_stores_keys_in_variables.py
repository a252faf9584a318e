rows = await mcp__market__history(ticker="A")
for row in rows:
    for key, value in (("revenues", "x"), ("note", 1)):
        row[key] = value
    print(row["revenues"])
