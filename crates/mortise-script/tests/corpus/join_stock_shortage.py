from collections import Counter
wanted = Counter()
for o in await mcp__shop__orders(status="open"):
    for item in o["items"]:
        wanted[item["sku"]] += item["quantity"]
for p in await mcp__shop__products():
    missing = wanted[p["sku"]] - p["stock"]
    if missing > 0:
        print(f"{p['sku']} {p['name']}: {missing} short of {wanted[p['sku']]}")
print(sum(wanted.values()), "pieces wanted")
