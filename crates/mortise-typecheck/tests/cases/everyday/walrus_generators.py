def chunks(seq, n):
    for i in range(0, len(seq), n):
        yield seq[i:i + n]

async def pages(limit=20):
    cursor = None
    while page := await mcp__inventory__list_orders(limit=limit, cursor=cursor):
        yield page["orders"]
        if not (cursor := page.get("next_cursor")):
            return

orders = [o async for batch in pages() for o in batch]
shipped = [o for o in orders if o["status"] == "shipped"]
total = 0
for i, chunk in enumerate(chunks(orders, 7), start=1):
    total += (s := sum(o["total_cents"] for o in chunk))
    print(f"chunk {i}: {s / 100:.2f}")
if (n := len(shipped)) > 3:
    print(f"{n} shipped of {len(orders)}; {n / len(orders):.0%}")
big = [(o["id"], q) for o in orders if (q := sum(i["quantity"] for i in o["items"])) >= 5]
print(big[:5], total)
