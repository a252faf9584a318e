page = await mcp__board__list_tasks()
by_id: dict[str, dict] = {}
for t in page["tasks"]:
    by_id[t["id"]] = t
for tid, extra in [("K1", 3), ("K2", 5)]:
    by_id[tid]["age_days"] = extra
for t in page["tasks"]:
    if t["id"] in ("K1", "K2"):
        print(t["title"], t["age_days"])
print(len(by_id))
