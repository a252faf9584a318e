class Pages:
    def __init__(self, limit=10):
        self.limit, self.cursor, self.done = limit, None, False
    def __aiter__(self):
        return self
    async def __anext__(self):
        if self.done:
            raise StopAsyncIteration
        page = await mcp__tickets__list_tickets(limit=self.limit, cursor=self.cursor)
        self.cursor = page.get("next_cursor")
        self.done = self.cursor is None
        return page["tickets"]
n = 0
async for batch in Pages(20):
    n += len(batch)
    print(batch[0]["id"], batch[-1]["id"])
print(n)
it = aiter(Pages(5))
b = await anext(it)
print(len(b), b[0]["title"])
urgent = [t["id"] async for batch in Pages(50) for t in batch if t["priority"] == "urgent"]
print(urgent[:4])
async def gen():
    async for batch in Pages(50):
        for t in batch:
            yield t
labels = set()
async for t in gen():
    labels |= set(t["labels"])
print(sorted(labels))
