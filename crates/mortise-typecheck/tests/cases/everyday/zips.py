import asyncio
cities = ["Oslo", "Berlin"]
ws = dict(zip(cities, await asyncio.gather(*map(lambda c: mcp__weather__get_weather(city=c), cities))))
for c in cities:
    print(c, ws[c]["humidity"])
hot = max(ws, key=lambda c: ws[c]["humidity"])
print(hot.upper())
