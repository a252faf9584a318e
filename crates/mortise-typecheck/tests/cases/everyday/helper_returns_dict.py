def index(items: list, key: str) -> dict[str, dict]:
    return {i[key]: i for i in items}

tasks = (await mcp__board__list_tasks())["tasks"]
lookup = index(tasks, "id")
for k in lookup:
    lookup[k]["score"] = lookup[k]["points"] * 2
best = max(tasks, key=lambda t: t["score"])
print(best["title"], best["score"])
for t in tasks:
    print(f"{t['id']} {t['score']:>3}")
