rows = await mcp__market__history(ticker="A")
for row in rows:
    row["margin"] = (row.get("profit") or 0) / row["revenue"]
print(max(row["margin"] for row in rows))
