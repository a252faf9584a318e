orders = await mcp__shop__orders()
customers = await mcp__shop__customers()
known = {c["id"] for c in customers}
orphans = sorted(o["id"] for o in orders if o["customer_id"] not in known)
silent = [c["name"] for c in customers if c["id"] not in {o["customer_id"] for o in orders}]
print("orders without customer:", orphans)
print("customers without order:", silent)
