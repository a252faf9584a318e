import asyncio
import contextvars

running = contextvars.ContextVar("running")
running.set(mcp__market__quote(ticker="A"))
print((await running.get())["price"])


def tuple(*calls):
    return asyncio.gather(*calls)


print(await tuple(mcp__market__quote(ticker="A"), mcp__market__quote(ticker="B")))
