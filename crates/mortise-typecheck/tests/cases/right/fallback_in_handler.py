tasks = (await mcp__board__list_tasks())["tasks"]
for t in tasks:
    try:
        due = t["due"]
    except KeyError:
        due = t["due_date"]
    print(due)
