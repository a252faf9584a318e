lines = []
add = lines.append
customers = (await mcp__inventory__list_customers())["customers"]
add(f"# Customers ({len(customers)})\n")
add("| Name | Country | Orders | Spent |")
add("|---|---|---:|---:|")
for c in customers:
    orders = (await mcp__inventory__list_orders(customer_id=c["id"], limit=100))["orders"]
    live = [o for o in orders if o["status"] != "cancelled"]
    c["orders"], c["spent"] = len(live), sum(o["total_cents"] for o in live) / 100
    add(f"| {c['name']} | {c['country']} | {c['orders']} | {c['spent']:,.2f} |")
best = max(customers, key=lambda c: c["spent"])
add("")
add(f"**Best**: {best['name']} with {best['spent']:.2f}" + (" (business)" if best["segment"] == "business" else ""))
print("\n".join(lines))
by_country = {}
for c in customers:
    entry = by_country.setdefault(c["country"], {"n": 0, "spent": 0.0})
    entry["n"] += 1
    entry["spent"] += c["spent"]
print(max(by_country.items(), key=lambda kv: kv[1]["spent"])[0])
print(f"{'name':>10}|{best['name']!r:>20}|{best['spent']=:.1f}|{'yes' if best['orders'] > 1 else 'no'}")
