ts = (await mcp__tickets__list_tickets(status="open"))["tickets"]
un = [t for t in ts if t["assignee"] is None]
mine = [t for t in ts if t["assignee"] and t["assignee"].startswith("a")]
print(len(un), len(mine), sorted({t["assignee"] for t in ts if t["assignee"]}))
print(", ".join(t["assignee"] or "-" for t in ts))
print(sorted(ts, key=lambda t: t["assignee"] or "")[0]["id"])
