from __future__ import annotations
import asyncio


async def numbers():
    for n in range(3):
        yield n


async for n in numbers():
    print(n)
print([n async for n in numbers()], [await mcp__market__quote(ticker=t) for t in "AB"])
async with asyncio.timeout(5):
    await asyncio.sleep(0)
await emit({"done": True})
print(await list_callable_tools(), await inspect_tool("x"), (await server_status()))
