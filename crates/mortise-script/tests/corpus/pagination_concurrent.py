import asyncio, math
first = await mcp__tracker__issues()
count = math.ceil(first["total"] / len(first["items"]))
rest = await asyncio.gather(*(mcp__tracker__issues(page=p) for p in range(2, count + 1)))
items = first["items"] + [i for r in rest for i in r["items"]]
print(count, len(items), [i["number"] for i in items] == list(range(1, len(items) + 1)))
