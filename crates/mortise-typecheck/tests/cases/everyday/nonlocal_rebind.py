async def main():
    tasks = (await mcp__board__list_tasks())["tasks"]
    def shrink():
        nonlocal tasks
        tasks = [{"name": t["title"]} for t in tasks]
    shrink()
    return tasks[0]["name"]
print(await main())
