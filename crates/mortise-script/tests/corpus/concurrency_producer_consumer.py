import asyncio
queue, results = asyncio.Queue(maxsize=2), []
async def producer():
    for p in await mcp__shop__products():
        await queue.put(p["sku"])
    for _ in range(3):
        await queue.put(None)
async def consumer(n):
    while (sku := await queue.get()) is not None:
        row = (await mcp__shop__products(sku=sku))[0]
        results.append((sku, row["stock"]))
await asyncio.gather(producer(), *(consumer(n) for n in range(3)))
print(len(results), sum(s for _, s in results), queue.empty())
