def validate(row):
    if not isinstance(row.get("price"), (int, float)) or row["price"] <= 0:
        yield f"price {row.get('price')!r}"
    if row["stock"] < 0 or row["stock"] != int(row["stock"]):
        yield f"stock {row['stock']!r}"
    if not row["sku"].startswith("P") or not row["sku"][1:].isdigit():
        yield f"sku {row['sku']!r}"
rows = await mcp__shop__products()
rows += [{"sku": "X1", "price": -1, "stock": 2.5}, {"sku": "P1x", "price": "9", "stock": -1}]
bad = {i: problems for i, r in enumerate(rows) if (problems := list(validate(r)))}
print(len(rows) - len(bad), "good")
for i, problems in bad.items():
    print(i, "; ".join(problems))
