from itertools import groupby
products = sorted(await mcp__shop__products(), key=lambda p: (p["category"], -p["price"]))
for category, group in groupby(products, key=lambda p: p["category"]):
    group = list(group)
    print(category, len(group), [p["name"] for p in group], sum(p["stock"] for p in group))
