r = await mcp__weather__get_weather(city="Oslo")
text = r["conditions"] if isinstance(r, dict) else r.text
print(text)
if not isinstance(r, dict):
    r = r.model_dump()
print(r["city"])
