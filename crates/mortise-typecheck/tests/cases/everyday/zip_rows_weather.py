import asyncio
cities = ["Oslo", "Lima", "Cairo"]
weather = await asyncio.gather(*[mcp__weather__get_weather(city=c) for c in cities])
climates = await asyncio.gather(*[mcp__weather__describe_climate(city=c) for c in cities])
for w, text in zip(weather, climates):
    w["climate"] = text
    w["temp"] = w["temperature"]["celsius"]
report = sorted(weather, key=lambda w: w["temp"])
for w in report:
    print(f"{w['city']}: {w['temp']}°C – {w['climate'][:30]}")
value, content = await with_content(mcp__weather__get_weather(city="Oslo"))
print(value["city"], content[0]["text"])
feels = {w["city"]: round(w["temp"] - w["wind"]["speed_kmh"] * 0.1, 1) for w in report}
print(feels)
