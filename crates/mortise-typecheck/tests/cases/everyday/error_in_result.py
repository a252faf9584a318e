import asyncio
async def safe(coro, label):
    try:
        return {"ok": True, "label": label, "data": await coro}
    except ToolError as e:
        return {"ok": False, "label": label, "error": str(e)}
res = await asyncio.gather(
    safe(mcp__weather__get_weather(city="Oslo"), "oslo"),
    safe(mcp__weather__get_weather(city="Mars"), "mars"),
    safe(mcp__tickets__get_ticket(id="T-101"), "t"),
)
for r in res:
    if r["ok"]:
        print(r["label"], list(r["data"])[:2])
    else:
        print(r["label"], r["error"][:20])
ok = {r["label"]: r["data"] for r in res if r["ok"]}
print(ok["oslo"]["city"], ok["t"]["ticket"]["title"])
bad = [r["error"] for r in res if not r["ok"]]
print(len(bad))
