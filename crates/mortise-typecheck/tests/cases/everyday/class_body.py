class Config:
    cities = ["Oslo", "Lima"]
    n = len(cities)
    pairs = [(c, i) for i, c in enumerate(cities)]
    default = cities[0]
for c, i in Config.pairs:
    w = await mcp__weather__get_weather(city=c)
    print(i, w["city"], Config.n)
try:
    pass
except ValueError as e:
    print(e)
else:
    e = "fine"
print(e)
