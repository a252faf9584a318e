import asyncio, contextvars
request = contextvars.ContextVar("request", default="none")
async def handle(name):
    request.set(name)
    await mcp__echo__echo()
    return request.get()
print(await asyncio.gather(*(handle(n) for n in "abc")), request.get())
