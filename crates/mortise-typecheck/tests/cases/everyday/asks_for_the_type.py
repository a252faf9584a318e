r = await mcp__weather__get_weather(city="Oslo")
if type(r) is dict:
    print(r["city"])
elif type(r) == list:
    print(r[0]["city"])
else:
    print(r.city)
