async def get(city):
    try:
        return await mcp__weather__get_weather(city=city)
    except ToolError:
        return None
w = await get("Oslo")
print(w["humidity"])
if w is None:
    print("none")
ws = [x for x in [await get("Oslo"), await get("X")] if x]
print(sum(x["humidity"] for x in ws) / len(ws))
