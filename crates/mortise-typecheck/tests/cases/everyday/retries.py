import asyncio
async def retry(fn, *, tries=3, **kw):
    last = None
    for i in range(tries):
        try:
            return await fn(**kw)
        except Exception as e:
            last = e
            await asyncio.sleep(0)
    raise last
w = await retry(mcp__weather__get_weather, city="Oslo")
print(w["temperature"])
async def safe(coro):
    try:
        return await coro
    except Exception as e:
        return {"error": str(e)}
r = await safe(mcp__weather__get_weather(city="Nope"))
print(r.get("error") or r["temperature"])
print(r["error"] if "error" in r else r["city"])
