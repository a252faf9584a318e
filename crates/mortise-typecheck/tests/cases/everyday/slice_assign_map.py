tasks = (await mcp__board__list_tasks())["tasks"]
tasks[:] = [{"name": t["title"], "n": t["points"]} for t in tasks]
print(tasks[0]["name"], sum(t["n"] for t in tasks))
page = await mcp__board__list_tasks()
page["tasks"] = [dict(name=t["title"]) for t in page["tasks"]]
for t in page["tasks"]:
    print(t["name"])
