from itertools import groupby
from operator import itemgetter

page = await mcp__inventory__list_products()
products = sorted(page["products"], key=itemgetter("category", "name"))
summary = []
for category, group in groupby(products, key=itemgetter("category")):
    items = list(group)
    summary.append({
        "category": category,
        "count": len(items),
        "stock": sum(i["stock"] for i in items),
        "value": sum(i["stock"] * i["price_cents"] for i in items) / 100,
        "cheapest": min(items, key=itemgetter("price_cents"))["name"],
    })
summary.sort(key=lambda s: s["value"], reverse=True)
width = max(len(s["category"]) for s in summary)
for s in summary:
    print(f"{s['category']:<{width}}  {s['count']:>3}  {s['stock']:>5}  {s['value']:>10,.2f}  {s['cheapest']}")
print("Total value:", round(sum(s["value"] for s in summary), 2))
emit(summary)
