import asyncio
async def check(city):
    w = await mcp__weather__get_weather(city=city)
    if w["humidity"] > 100:
        raise ValueError("too humid")
    return w["humidity"]
try:
    async with asyncio.TaskGroup() as tg:
        a = tg.create_task(check("Oslo"))
        b = tg.create_task(check("Nowhere"))
except* ToolError as eg:
    for e in eg.exceptions:
        print("tool error:", e.tool)
except* ValueError as eg:
    print("value", len(eg.exceptions))
try:
    raise ExceptionGroup("many", [KeyError("a"), ToolError("b")])
except ExceptionGroup as g:
    match, rest = g.split(ToolError)
    print(len(match.exceptions), len(rest.exceptions))
try:
    await check("Atlantis")
except ValueError, ToolError:
    print("caught")
