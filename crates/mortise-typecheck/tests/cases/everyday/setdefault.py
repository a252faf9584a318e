customers = {c["id"]: c for c in (await mcp__inventory__list_customers())["customers"]}
spend = {}
for o in (await mcp__inventory__list_orders())["orders"]:
    c = customers.get(o["customer_id"], {})
    entry = spend.setdefault(o["customer_id"], {"name": c.get("name", "?"), "total": 0, "orders": []})
    entry["total"] += o["total_cents"]
    entry["orders"].append(o["id"])
for cid, e in sorted(spend.items(), key=lambda kv: kv[1]["total"], reverse=True)[:3]:
    print(cid, e["name"], e["total"] / 100, len(e["orders"]))
by_country = {}
for cid, e in spend.items():
    country = customers[cid]["country"]
    by_country[country] = by_country.get(country, 0) + e["total"]
print(by_country)
