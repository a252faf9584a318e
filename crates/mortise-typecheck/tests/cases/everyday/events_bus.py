import asyncio
from collections import defaultdict
from typing import Callable
class Bus:
    def __init__(self): self.handlers: dict[str, list[Callable]] = defaultdict(list)
    def on(self, name):
        def deco(fn):
            self.handlers[name].append(fn)
            return fn
        return deco
    async def fire(self, name, **payload):
        return await asyncio.gather(*(h(**payload) for h in self.handlers[name]))
bus = Bus()
@bus.on("city")
async def weather(city):
    w = await mcp__weather__get_weather(city=city)
    return f"{w['conditions']} {w['temperature']['celsius']}"
@bus.on("city")
async def climate(city):
    return await mcp__weather__describe_climate(city=city)
for city in ("Oslo", "Singapore"):
    now, usual = await bus.fire("city", city=city)
    print(city, "|", now, "|", usual[:20])
event = asyncio.Event()
async def waiter():
    await event.wait()
    return (await mcp__weather__get_weather(city="Nairobi"))["city"]
t = asyncio.create_task(waiter())
await asyncio.sleep(0)
event.set()
print(await t)
async with asyncio.timeout(5):
    print((await mcp__weather__get_weather(city="Cairo"))["country"])
