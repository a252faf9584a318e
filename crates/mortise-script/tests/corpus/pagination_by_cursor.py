async def all_transactions():
    cursor = None
    while True:
        result = await mcp__bank__transactions(cursor=cursor) if cursor else await mcp__bank__transactions()
        for row in result["items"]:
            yield row
        cursor = result["nextCursor"]
        if not cursor:
            return
rows = [row async for row in all_transactions()]
print(len(rows), rows[0]["id"], rows[-1]["id"], sum(r["currency"] == "USD" for r in rows))
