CONFIG = {}
def setup():
    global LIMIT, cache
    LIMIT = 5
    cache = {}

setup()
async def get(city):
    if city not in cache:
        cache[city] = await mcp__weather__get_weather(city=city)
    return cache[city]
for c in ["Oslo", "Oslo", "Lima"][:LIMIT]:
    w = await get(c)
    print(w["city"], w["conditions"])
counter = 0
def bump():
    global counter
    counter += 1
    return counter
print(bump(), bump(), len(cache))
