page = await mcp__board__list_tasks()


def describe(task):
    return {"login": task["id"], "number": 1}


for task in page["tasks"]:
    info = describe(task)
    task["owner"] = info
for task in page["tasks"]:
    print(task["title"], task["owner"]["login"])
