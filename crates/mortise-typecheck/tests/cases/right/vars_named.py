w = await mcp__weather__get_weather(city="Oslo")
for k in ("city", "humidity"):
    globals()[k] = w[k]
print(city, humidity)
