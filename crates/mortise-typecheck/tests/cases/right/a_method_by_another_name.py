page = await mcp__board__list_tasks()
rows = list(page["tasks"])
add = rows.append
add({"id": "X", "label": "extra"})
print(rows[-1]["label"])
