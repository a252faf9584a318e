rows = await mcp__market__history(ticker="A")
for key in ["date", "revenue", "other"]:
    print([row.get(key) for row in rows])
for row in rows:
    for key in row:
        print(key, row[key])
