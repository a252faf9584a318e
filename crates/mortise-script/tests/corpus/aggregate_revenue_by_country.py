orders = await mcp__shop__orders(status="paid")
customers = {c["id"]: c for c in await mcp__shop__customers()}
totals = {}
for order in orders:
    customer = customers.get(order["customer_id"])
    country = customer["country"] if customer else "unknown"
    amount = sum(i["quantity"] * i["price"] for i in order["items"])
    totals[country] = totals.get(country, 0) + amount
for country, total in sorted(totals.items(), key=lambda kv: (-kv[1], kv[0])):
    print(f"{country:8} {total:>10.2f}")
print("sum", round(sum(totals.values()), 2))
