import asyncio

places = asyncio.Semaphore(40)


async def add_once(key):
    while True:
        try:
            return (await mcp__counter__add(key=key, before_ms=8))["value"]
        except ToolError as error:
            seen = await mcp__counter__look(key=key)
            if seen["is_done"]:
                return seen["value"]


async def work(number):
    async with places:
        if number % 3 == 0:
            return (await mcp__counter__look(key="nothing", before_ms=number % 11))["value"]
        if number % 3 == 1:
            return (await mcp__counter__put(key=f"put-{number}", after_ms=number % 13))["value"]
        return await add_once(f"add-{number}")


tasks = [asyncio.create_task(work(number)) for number in range(120)]
total = 0
for finished in asyncio.as_completed(tasks):
    total += await finished
print(total, await add_once("last"))
