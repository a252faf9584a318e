async def pages(tool, key, **kw):
    cursor = None
    while True:
        page = await tool(**kw, **({"cursor": cursor} if cursor else {}))
        for x in page[key]:
            yield x
        if not (cursor := page.get("next_cursor")):
            break
n = 0
async for t in pages(mcp__tickets__list_tickets, "tickets", limit=10):
    n += t["comment_count"]
async for o in pages(mcp__inventory__list_orders, "orders"):
    n += o["total_cents"]
print(n)
