import asyncio
event, lock, log = asyncio.Event(), asyncio.Lock(), []
async def waiter(n):
    await event.wait()
    async with lock:
        log.append(n)
        await asyncio.sleep(0)
        log.append(n)
tasks = [asyncio.create_task(waiter(n)) for n in range(3)]
await asyncio.sleep(0)
print(log)
event.set()
await asyncio.gather(*tasks)
print(log)
