import asyncio
q = asyncio.Queue()
out = []
async def worker():
    while not q.empty():
        c = await q.get()
        out.append(await mcp__weather__get_weather(city=c))
        q.task_done()
for c in ("Oslo", "Berlin"): q.put_nowait(c)
await asyncio.gather(*(worker() for _ in range(2)))
print([o["city"] for o in out], q.qsize())
