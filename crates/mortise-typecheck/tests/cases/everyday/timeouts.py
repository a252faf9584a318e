import asyncio
try:
    w = await asyncio.wait_for(mcp__weather__get_weather(city="Oslo"), timeout=5)
    print(w["humidity"])
except asyncio.TimeoutError:
    print("late")
async with asyncio.timeout(5):
    w = await mcp__weather__get_weather(city="Oslo")
print(w["city"])
