page = await mcp__board__list_tasks()
for task in page["tasks"]:
    task["owner"] = await mcp__board__profile(user=task["id"])
for task in page["tasks"]:
    print(task["owner"]["user"], task["owner"]["stats"]["visits"])
rows = list(page["tasks"])
add = rows.append
add({"id": "X", "label": "extra"})
print(rows[-1]["id"])
