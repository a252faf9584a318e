import asyncio, inspect
TOOLS = {
    "weather": (mcp__weather__get_weather, {"city": "Oslo"}),
    "tickers": (mcp__financial_data__list_tickers, {}),
    "doc": (mcp__doc_retrieval__get_doc, {"doc_id": "hb-01"}),
}
async def call(name):
    fn, kw = TOOLS[name]
    r = await fn(**kw)
    return name, r
out = dict([await call(n) for n in TOOLS])
print(out["weather"]["city"], len(out["tickers"]["tickers"]), out["doc"]["title"])
coros = {n: fn(**kw) for n, (fn, kw) in TOOLS.items()}
vals = dict(zip(coros, await asyncio.gather(*coros.values())))
print(vals["weather"]["humidity"], vals["doc"]["tags"])
getters = [lambda c=c: mcp__weather__get_weather(city=c) for c in ("Lima", "Cairo")]
print([(await g())["city"] for g in getters])
def later(city):
    return mcp__weather__get_weather(city=city)
w = await later("Berlin")
print(w["city"])
pending = []
for c in ("Oslo", "Lima"):
    pending.append(mcp__weather__get_weather(city=c))
first, second = await asyncio.gather(*pending)
print(first["city"], second["city"])
coro = mcp__weather__get_weather(city="Oslo")
print(inspect.iscoroutine(coro) or True)
r = await coro
print(r["country"])
