ps = (await mcp__inventory__list_products())["products"]
for p in ps[:2]:
    row = dict(**p)
    row["value"] = row["stock"] * row["price_cents"]
    row2 = dict(p, extra=1)
    print(row["value"], row2["extra"], {**p}["name"])
copy = [dict(p) for p in ps]
for c in copy:
    c["flag"] = c["stock"] == 0
print(sum(c["flag"] for c in copy))
