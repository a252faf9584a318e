async def all_orders(**filters):
    cursor = None
    while True:
        args = dict(filters)
        if cursor:
            args["cursor"] = cursor
        page = await mcp__inventory__list_orders(**args)
        for o in page["orders"]:
            yield o
        cursor = page.get("next_cursor")
        if cursor is None:
            return
total = 0
async for o in all_orders(limit=10):
    total += o["total_cents"]
print(total)
ids = [o["id"] async for o in all_orders(status="shipped")]
print(len(ids))
