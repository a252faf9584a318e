import asyncio
results = await asyncio.gather(*(mcp__shop__customer(id=i) for i in (1, 50, 2)), mcp__broken__always(), return_exceptions=True)
for r in results:
    if isinstance(r, Exception):
        print(type(r).__name__, "|", r, "|", r.tool)
    else:
        print(r["name"])
