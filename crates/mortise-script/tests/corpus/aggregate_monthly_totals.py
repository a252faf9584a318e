from collections import defaultdict
from datetime import date
months = defaultdict(float)
for order in await mcp__shop__orders():
    d = date.fromisoformat(order["date"])
    months[d.year, d.month] += sum(i["quantity"] * i["price"] for i in order["items"])
for (year, month), total in sorted(months.items()):
    print(f"{year}-{month:02d}: {total:,.2f}")
best = max(months, key=months.get)
print("best:", best)
