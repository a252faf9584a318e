r = await mcp__weather__get_weather(city="Oslo")
city = r.city if hasattr(r, "city") else r["city"]
print(city)
print(getattr(r, "city", None) or r["city"])
