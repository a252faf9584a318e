import asyncio
async def after(n):
    await asyncio.sleep(n / 100)
    return n
order = [await f for f in asyncio.as_completed([after(n) for n in (9, 1, 5)])]
print(order)
