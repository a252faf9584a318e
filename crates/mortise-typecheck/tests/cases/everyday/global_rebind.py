tasks = (await mcp__board__list_tasks())["tasks"]
def simplify():
    global tasks
    tasks = [{"name": t["title"], "n": t["points"]} for t in tasks]
simplify()
print(tasks[0]["name"], sum(t["n"] for t in tasks))
