def check(row):
    problems = []
    if row["price"] <= 0:
        problems.append(ValueError(f"{row['sku']}: price"))
    if row["stock"] == 0:
        problems.append(LookupError(f"{row['sku']}: stock"))
    if problems:
        raise ExceptionGroup("bad row", problems)
bad = 0
for p in await mcp__shop__products():
    try:
        check(p)
    except* LookupError as g:
        bad += 1
        print([str(e) for e in g.exceptions])
print(bad)
