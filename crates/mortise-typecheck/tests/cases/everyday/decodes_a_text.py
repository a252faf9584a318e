r = await mcp__weather__get_weather(city="Oslo")
if isinstance(r, str):
    import json
    r = json.loads(r)
print(r["temperature"])
