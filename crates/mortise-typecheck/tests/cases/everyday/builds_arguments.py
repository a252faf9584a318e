items = [{"product_id": p["id"], "quantity": 1} for p in (await mcp__inventory__list_products())["products"] if p["stock"] > 1][:2]
order = await mcp__inventory__place_order(customer_id="C-1", items=items)
print(order["id"], order["status"])
await mcp__inventory__cancel_order(order_id=order["id"])
more = []
for p in (await mcp__inventory__list_products())["products"]:
    if p["stock"] > 5:
        more.append(dict(product_id=p["id"], quantity=2))
    if len(more) == 2: break
o2 = await mcp__inventory__place_order(customer_id="C-1", items=more)
print(o2["total_cents"])
