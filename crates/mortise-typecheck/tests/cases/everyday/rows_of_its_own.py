out = []
for city in ["Oslo", "Xx"]:
    try:
        w = await mcp__weather__get_weather(city=city)
        out.append({"city": city, "temp": w["temperature"], "error": None})
    except Exception as err:
        out.append({"city": city, "temp": None, "error": str(err)})
ok = [o for o in out if o["error"] is None]
print(ok, max((o["temp"] for o in ok), default=0))
best = max(ok, key=lambda o: o["temp"])
print(best["city"].upper())
