from datetime import datetime, timedelta, date
orders = (await mcp__inventory__list_orders())["orders"]
for o in orders[:3]:
    dt = datetime.fromisoformat(o["placed_at"].replace("Z", "+00:00"))
    print(dt.date(), dt.strftime("%Y-%m"), (dt + timedelta(days=1)).isoformat())
months = {}
for o in orders:
    months.setdefault(o["placed_at"][:7], []).append(o)
for m in sorted(months):
    print(m, sum(o["total_cents"] for o in months[m]))
