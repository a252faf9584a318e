import asyncio
from collections import Counter, defaultdict
async def drain(fn, key, **kw):
    out, cur = [], None
    while True:
        page = await fn(cursor=cur, limit=100, **kw)
        out.extend(page[key])
        cur = page.get("next_cursor")
        if not cur:
            return out
orders, tickets = await asyncio.gather(drain(mcp__inventory__list_orders, "orders"), drain(mcp__tickets__list_tickets, "tickets", status="open"))
products = {p["id"]: p for p in (await mcp__inventory__list_products())["products"]}
sold = Counter()
for o in orders:
    if o["status"] == "cancelled":
        continue
    for it in o["items"]:
        sold[it["product_id"]] += it["quantity"]
for pid, n in sold.most_common(3):
    p = products[pid]
    print(p["name"], n, f"{n * p['price_cents'] / 100:.2f}", "reorder" if p["stock"] < n else "")
revenue = defaultdict(int)
for pid, n in sold.items():
    revenue[products[pid]["category"]] += n * products[pid]["price_cents"]
print(dict(revenue), len(tickets))
unsold = [p["name"] for pid, p in products.items() if pid not in sold]
print(unsold)
copurchase = Counter()
for o in orders:
    ids = sorted({i["product_id"] for i in o["items"]})
    copurchase.update((a, b) for i, a in enumerate(ids) for b in ids[i + 1:])
print(copurchase.most_common(1))
