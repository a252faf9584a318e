import asyncio


async def once(key, before_ms):
    while True:
        try:
            done = await mcp__counter__add(key=key, before_ms=before_ms, after_ms=5)
            return done["value"]
        except ToolError as error:
            if error.kind != "denied":
                raise
        seen = await mcp__counter__look(key=key)
        if seen["is_done"]:
            return seen["value"]


values = await asyncio.gather(*(once(f"gather-{n}", n * 37 % 60) for n in range(200)))
print(len(values), sum(values))
