rows = await mcp__market__history(ticker="A")
def value(row):
    return row["revenues"]
try:
    print(value(rows[0]))
except KeyError:
    print("none")
