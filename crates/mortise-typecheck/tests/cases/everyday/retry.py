import asyncio, random

class RetryError(Exception):
    def __init__(self, attempts, last):
        super().__init__(f"failed after {attempts}: {last}")
        self.last = last

async def with_retry(fn, *args, attempts=3, base=0.001, **kwargs):
    last = None
    for i in range(attempts):
        try:
            return await fn(*args, **kwargs)
        except ToolError as e:
            last = e
            if e.kind == "validation":
                raise
            await asyncio.sleep(base * 2 ** i * random.random())
    raise RetryError(attempts, last)

w = await with_retry(mcp__weather__get_weather, city="Oslo")
print(w["city"], w["humidity"])
try:
    await with_retry(mcp__weather__get_weather, city="Nowhere", attempts=2)
except RetryError as e:
    print("gave up:", type(e.last).__name__, e.last.tool)
finally:
    print("done")
try:
    r = await asyncio.wait_for(mcp__weather__get_weather(city="Lima"), timeout=5)
    print(r["temperature"]["fahrenheit"])
except (asyncio.TimeoutError, ToolError) as e:
    print("timeout", e)
