import asyncio, functools
def retry(times, delay=0.001):
    def decorate(f):
        @functools.wraps(f)
        async def wrapper(*args, **kwargs):
            for n in range(times):
                try:
                    return await f(*args, **kwargs)
                except ToolError:
                    if n == times - 1:
                        raise
                    await asyncio.sleep(delay * 2 ** n)
        return wrapper
    return decorate
@retry(times=3)
async def get(id):
    "Gets one."
    return (await mcp__flaky__fetch(id=id))["status"]
print(await get(7), get.__name__, get.__doc__)
@retry(times=2)
async def never():
    return await mcp__broken__always()
try:
    await never()
except ToolError as e:
    print("still", e)
