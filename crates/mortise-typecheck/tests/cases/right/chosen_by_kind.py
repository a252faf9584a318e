def render(item, kind="task"):
    if kind == "task":
        return f'{item["id"]}: {item["title"]}'
    if kind == "user":
        return f'{item["login"]}: {item["full_name"]}'
    return item["anything"]


def show(item, kind):
    match kind:
        case "task":
            print(item["title"])
        case _:
            print(item["login"])


page = await mcp__board__list_tasks()
for task in page["tasks"]:
    print(render(task))
    show(task, "task")
