ts = (await mcp__tickets__list_tickets())["tickets"]
order = {"urgent": 0, "high": 1, "normal": 2, "low": 3}
ts.sort(key=lambda t: (order.get(t["priority"], 9), t["created_at"]))
print(ts[0]["id"], order[ts[0]["priority"]])
rank = ["low", "normal", "high", "urgent"].index(ts[0]["priority"])
print(rank)
oldest = sorted(ts, key=lambda t: t["updated_at"])[:3]
for t in oldest:
    print(f"{t['id']} [{t['status']:^12}] {t['title'][:30]!s:30} {t['assignee'] or '-':>8}")
