import asyncio
async def safe(name, coro):
    try:
        return name, await coro, None
    except Exception as e:
        return name, None, e
res = await asyncio.gather(safe("a", mcp__weather__get_weather(city="Oslo")), safe("b", mcp__weather__get_weather(city="Xx")))
for name, val, err in res:
    if err:
        print(name, "ERR", err)
    else:
        print(name, val["humidity"])
