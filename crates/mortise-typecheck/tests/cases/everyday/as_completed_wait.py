import asyncio
async def named(city):
    return city, await mcp__weather__get_weather(city=city)
tasks = [asyncio.create_task(named(c), name=c) for c in ("Oslo", "Lima", "Cairo")]
seen = []
for fut in asyncio.as_completed(tasks):
    city, w = await fut
    seen.append((city, w["temperature"]["celsius"]))
print(sorted(seen))
more = {asyncio.create_task(mcp__weather__get_weather(city=c)): c for c in ("Berlin", "Nope")}
done, pending = await asyncio.wait(more, timeout=5)
for t in done:
    if t.exception():
        print(more[t], "failed")
    else:
        print(more[t], t.result()["wind"]["direction"])
assert not pending
async for t in asyncio.as_completed([asyncio.create_task(named("Wellington"))]):
    print((await t)[1]["country"])
