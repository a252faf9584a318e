import asyncio
async def slow():
    try:
        await asyncio.sleep(30)
    except asyncio.CancelledError:
        print("cancelled")
        raise
for limit in (0.01, 0.02):
    try:
        await asyncio.wait_for(slow(), timeout=limit)
    except TimeoutError:
        print("timeout", limit)
async with asyncio.timeout(5) as t:
    print((await mcp__echo__echo(a=1))["a"], t.expired())
