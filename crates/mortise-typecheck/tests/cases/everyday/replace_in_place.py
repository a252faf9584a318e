tasks = (await mcp__board__list_tasks())["tasks"]
for i, t in enumerate(tasks):
    tasks[i] = {"id": t["id"], "label": f"{t['title']} ({t['status']})", "pts": t["points"]}
for t in tasks:
    print(t["label"], t["pts"])
print(max(tasks, key=lambda t: t["pts"])["label"])
