def titles(node):
    if node.get("tasks"):
        return [title for task in node["tasks"] for title in titles(task)]
    return [node["title"]]


print(titles(await mcp__board__list_tasks()))
