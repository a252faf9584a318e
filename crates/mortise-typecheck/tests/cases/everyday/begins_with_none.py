best = None
for p in (await mcp__inventory__list_products())["products"]:
    if best is None or p["stock"] > best["stock"]:
        best = p
print(best["name"], best["stock"])
last = None
for o in (await mcp__inventory__list_orders())["orders"]:
    if last:
        print(o["total_cents"] - last["total_cents"])
    last = o
print(last["id"])
found = next((o for o in (await mcp__inventory__list_orders())["orders"] if o["status"] == "shipped"), None)
print(found["id"])
