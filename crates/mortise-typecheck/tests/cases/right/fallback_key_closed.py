tasks = (await mcp__board__list_tasks())["tasks"]
def due_of(t):
    return t["due"]
for t in tasks:
    due = t.get("due") or t["due_date"]
    title = t["title"] if "title" in t else t["name"]
    print(due, title, due_of(t))
