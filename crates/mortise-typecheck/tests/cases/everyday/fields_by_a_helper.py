async def load(status):
    page = await mcp__board__list_tasks(status=status)
    return page["tasks"]


def slim(tasks):
    return [{"titel": task["title"], "point": task["points"]} for task in tasks]


def show(tasks, *, mark="-"):
    for task in tasks:
        print(mark, task["titel"], task["point"])


def first(tasks, default=None):
    return tasks[0] if tasks else default


page = await mcp__board__list_tasks()
page["tasks"] = slim(page["tasks"])
show(page["tasks"])
show(slim(await load("todo")), mark="*")
best = first(await load("done"))
print(best["title"] if best else first([], "none"))
