page = await mcp__board__list_tasks()


def handle_task(task):
    return task["title"] if task["id"].startswith("K") else task["label"]


print(handle_task(page["tasks"][0]))
kind = "task"
print(globals()[f"handle_{kind}"]({"id": "own", "label": "mine"}))
