from collections import defaultdict
orders = (await mcp__inventory__list_orders())["orders"]
agg = defaultdict(lambda: {"count": 0, "total": 0, "ids": set()})
for o in orders:
    a = agg[o["customer_id"]]
    a["count"] += 1
    a["total"] += o["total_cents"]
    a["ids"].add(o["id"])
for cid, a in sorted(agg.items(), key=lambda kv: -kv[1]["total"]):
    print(f"{cid:<6} {a['count']:>3} {a['total']/100:>10.2f} {len(a['ids'])}")
