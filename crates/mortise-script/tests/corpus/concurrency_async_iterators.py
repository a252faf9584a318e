class Countdown:
    def __init__(self, n):
        self.n = n
    def __aiter__(self):
        return self
    async def __anext__(self):
        if self.n == 0:
            raise StopAsyncIteration
        self.n -= 1
        return (await mcp__echo__echo(n=self.n))["n"]
print([n async for n in Countdown(4)])
async def doubled(source):
    async for n in source:
        yield n * 2
print([n async for n in doubled(Countdown(3)) if n])
