import asyncio
cust, prod, ords = await asyncio.gather(mcp__inventory__list_customers(), mcp__inventory__list_products(), mcp__inventory__list_orders())
c_by = {c["id"]: c for c in cust["customers"]}
p_by = {p["id"]: p for p in prod["products"]}
rows = [
    {"order": o["id"], "customer": c_by[o["customer_id"]]["name"], "product": p_by[i["product_id"]]["name"], "qty": i["quantity"], "value": p_by[i["product_id"]]["price_cents"] * i["quantity"]}
    for o in ords["orders"] for i in o["items"] if i["product_id"] in p_by
]
rows.sort(key=lambda r: r["value"], reverse=True)
print(rows[0]["customer"], rows[0]["value"] / 100)
total = sum(r["value"] for r in rows)
tot2 = sum(r["qty"] * 1.0 for r in rows)
print(total, tot2, {r["customer"].split()[0] for r in rows})
print(max(rows, key=lambda r: r["qty"])["product"].lower())
