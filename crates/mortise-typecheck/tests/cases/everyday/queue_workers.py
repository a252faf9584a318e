import asyncio
queue = asyncio.Queue()
results = {}
lock = asyncio.Lock()
async def worker(n):
    while True:
        try:
            city = queue.get_nowait()
        except asyncio.QueueEmpty:
            return n
        try:
            w = await mcp__weather__get_weather(city=city)
            async with lock:
                results[city] = w
        except ToolError as e:
            results[city] = e
        finally:
            queue.task_done()
for c in ["Oslo", "Berlin", "Xanadu", "Cairo"]:
    queue.put_nowait(c)
done = await asyncio.gather(*(worker(i) for i in range(2)))
await queue.join()
for city in sorted(results):
    r = results[city]
    if isinstance(r, ToolError):
        print(city, "error", r.kind)
    else:
        print(city, r["temperature"]["celsius"], r["conditions"])
ok = [r for r in results.values() if not isinstance(r, Exception)]
print(max(ok, key=lambda r: r["humidity"])["city"], done)
