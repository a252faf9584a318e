import asyncio
coros = [mcp__weather__get_weather(city=c) for c in ("Oslo", "Berlin")]
for fut in asyncio.as_completed(coros):
    w = await fut
    print(w["city"], w["temperature"])
tasks = {asyncio.create_task(mcp__weather__get_weather(city=c)): c for c in ("Oslo", "Berlin")}
done, pending = await asyncio.wait(tasks)
for t in done:
    print(tasks[t], t.result()["temperature"], t.exception())
