import asyncio
async def detail(t):
    full = await mcp__tickets__get_ticket(id=t["id"])
    t["comments"] = full["comments"]
    return t
ts = (await mcp__tickets__list_tickets())["tickets"][:3]
ts = await asyncio.gather(*map(detail, ts))
print(sum(len(t["comments"]) for t in ts), ts[0]["comments"][0]["author"] if ts[0]["comments"] else None)
