import builtins
builtins.shout = lambda s: print(s.upper())
w = await mcp__weather__get_weather(city="Oslo")
shout(w["city"])
