import asyncio

async def work(name, results):
    try:
        w = await mcp__weather__get_weather(city=name)
    except ToolError as e:
        results[name] = {"error": e.message}
        return
    results[name] = {"c": w["temperature"]["celsius"], "humidity": w["humidity"]}

results = {}
async with asyncio.TaskGroup() as tg:
    tasks = [tg.create_task(work(c, results)) for c in ("Cairo", "Lima", "Mordor")]
    climate = tg.create_task(mcp__weather__describe_climate(city="Cairo"))
print(climate.result())
for name, r in sorted(results.items()):
    if "error" in r:
        print(name, "failed")
    else:
        print(name, r["c"], r["humidity"])
temps = [r["c"] for r in results.values() if "c" in r]
print(sum(temps) / len(temps))
assert all(t.done() for t in tasks)
