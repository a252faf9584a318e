page = await mcp__board__list_tasks()


def slim(task):
    return {"titel": task["title"], "point": task["points"]}


page["tasks"] = [slim(task) for task in page["tasks"]]
for task in page["tasks"]:
    print(task["titel"], task["point"])


def named(task):
    return {"own": task["id"]}


other = await mcp__board__list_tasks()
other["tasks"] = list(map(named, other["tasks"]))
print(other["tasks"][0]["own"])
