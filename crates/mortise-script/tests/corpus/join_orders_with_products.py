products = {p["sku"]: p for p in await mcp__shop__products()}
orders = await mcp__shop__orders(status="open")
for o in sorted(orders, key=lambda o: o["date"]):
    lines = [f"{i['quantity']}x {products[i['sku']]['name']}" for i in o["items"]]
    print(o["id"], o["date"], ", ".join(lines))
