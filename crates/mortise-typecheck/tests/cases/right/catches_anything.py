rows = await mcp__market__history(ticker="A")
try:
    value = rows[0]["revenues"]
except Exception:
    value = rows[0]["revenue"]
print(value)
