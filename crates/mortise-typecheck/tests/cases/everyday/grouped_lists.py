groups: dict[str, list[dict]] = {}
tasks = (await mcp__board__list_tasks())["tasks"]
for t in tasks:
    groups.setdefault(t["status"], []).append(t)
for status, ts in groups.items():
    for pos, t in enumerate(sorted(ts, key=lambda x: -x["points"])):
        t["position"] = pos
print(sorted((t["status"], t["position"], t["id"]) for t in tasks))
