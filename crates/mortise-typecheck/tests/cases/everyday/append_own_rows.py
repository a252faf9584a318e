tasks = (await mcp__board__list_tasks())["tasks"]
total = sum(t["points"] for t in tasks)
tasks.append({"id": "TOTAL", "title": "Total", "points": total, "is_total": True})
tasks.insert(0, {"id": "HEAD", "title": "Head", "points": 0, "is_total": True})
for t in tasks:
    if t["id"] in ("TOTAL", "HEAD"):
        print("==", t["title"], t["points"], t["is_total"])
    else:
        print(t["id"], t["status"])
