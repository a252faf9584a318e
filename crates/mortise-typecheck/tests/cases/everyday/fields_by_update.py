page = await mcp__board__list_tasks()
for task in page["tasks"]:
    task.update(owner={"login": task["id"]})
first = page["tasks"][0]
first["owner"], first["points"] = {"short": "a"}, 3
page["tasks"][1] |= {"owner": {"long": "ann"}}
for task in page["tasks"]:
    print(task["owner"].get("login"), task["owner"]["short"] if task is first else task["owner"]["long"])
