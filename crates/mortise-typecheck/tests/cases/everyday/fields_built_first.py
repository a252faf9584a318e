page = await mcp__board__list_tasks()


def build(task):
    return {"id": task["id"], "label": task["title"].upper()}


def report(page):
    for task in page["tasks"]:
        print(task["label"])


enriched = [build(task) for task in page["tasks"]]
page["tasks"] = enriched
report(page)
