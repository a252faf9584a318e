def add_scores(tasks: list[dict], factor: float = 1.5) -> None:
    for t in tasks:
        t["score"] = t["points"] * factor

def render(tasks):
    return "\n".join(f"{t['title']}: {t['score']}" for t in tasks)

tasks = (await mcp__board__list_tasks())["tasks"]
add_scores(tasks)
top = sorted(tasks, key=lambda t: t["score"], reverse=True)[:3]
for t in top:
    print(t["id"], t["score"])
print(render(top))
