import asyncio

cities = ["Oslo", "Berlin", "Atlantis", "Lima", "Narnia"]
results = await asyncio.gather(
    *[mcp__weather__get_weather(city=c) for c in cities],
    return_exceptions=True,
)
ok, failed = [], {}
for city, res in zip(cities, results):
    if isinstance(res, BaseException):
        failed[city] = str(res)
    else:
        ok.append(res)
print("failed:", sorted(failed))
warmest = max(ok, key=lambda w: w["temperature"]["celsius"])
print(f"Warmest: {warmest['city']} at {warmest['temperature']['celsius']}°C, {warmest['conditions']}")
avg = sum(w["temperature"]["celsius"] for w in ok) / len(ok)
print(f"avg {avg:.1f}")
windy = {w["city"]: w["wind"]["speed_kmh"] for w in ok if w["wind"]["speed_kmh"] > 5}
print(windy)
for city, msg in failed.items():
    print(city, "->", msg.split(":")[0])
