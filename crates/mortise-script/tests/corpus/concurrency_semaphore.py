import asyncio
limit, running, peak = asyncio.Semaphore(3), 0, 0
async def get(i):
    global running, peak
    async with limit:
        running += 1
        peak = max(peak, running)
        result = await mcp__echo__echo(i=i)
        await asyncio.sleep(0.001)
        running -= 1
        return result["i"]
print(sum(await asyncio.gather(*map(get, range(20)))), peak)
