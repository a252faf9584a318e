orders = (await mcp__inventory__list_orders(limit=5))["orders"]
for o in orders:
    for item in o["items"]:
        item["line"] = f"{item['quantity']} x {item['product_id']}"
    o["lines"] = [i["line"] for i in o["items"]]
for o in orders:
    print(o["id"], *o["lines"], sep=" | ")
for key, value in orders[0].items():
    print(key, type(value).__name__)
print({**orders[0], "items": len(orders[0]["items"])}["items"])
flat = [{"order": o["id"], **i} for o in orders for i in o["items"]]
print(flat[0]["order"], flat[0]["product_id"], flat[0]["line"])
