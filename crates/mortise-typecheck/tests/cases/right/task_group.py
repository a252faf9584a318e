import asyncio
async with asyncio.TaskGroup() as group:
    tasks = [group.create_task(mcp__market__quote(ticker=t)) for t in "AB"]
print([task.result()["price"] for task in tasks])
