items = [("P-01", 1), ("P-02", 2)]
basket = [{"product_id": pid, "quantity": q} for pid, q in items]
order = await mcp__inventory__place_order(customer_id="C-2", items=basket)
print(order["status"], order["total_cents"], [i["product_id"] for i in order["items"]])
o2 = await mcp__inventory__place_order(customer_id="C-1", items=[dict(product_id="P-03", quantity=1)])
o3 = await mcp__inventory__place_order(customer_id="C-1", items=[{"product_id": i["product_id"], "quantity": i["quantity"]} for i in order["items"]])
line = {"product_id": "P-04"}
line["quantity"] = 2
o4 = await mcp__inventory__place_order(customer_id="C-3", items=[line])
o5 = await mcp__inventory__place_order(customer_id="C-3", items=o4["items"])
o6 = await mcp__inventory__place_order(customer_id="C-3", items=[{**line, "quantity": 1}])
o7 = await mcp__inventory__place_order(customer_id="C-3", items=[{"product_id": "P-04"} | {"quantity": 1}])
from dataclasses import dataclass, asdict
@dataclass
class L:
    product_id: str
    quantity: int
o8 = await mcp__inventory__place_order(customer_id="C-4", items=[asdict(L("P-01", 1))])
for o in (order, o2, o3, o4, o5, o6, o7, o8):
    c = await mcp__inventory__cancel_order(order_id=o["id"])
    print(c["id"], c["status"])
p = await mcp__inventory__restock(product_id="P-01", quantity=5)
print(p["stock"] >= 5)
