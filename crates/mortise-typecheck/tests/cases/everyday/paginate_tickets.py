from collections import Counter
from datetime import datetime, timezone

async def all_tickets(**filters):
    cursor = None
    tickets = []
    while True:
        page = await mcp__tickets__list_tickets(limit=50, cursor=cursor, **filters)
        tickets.extend(page["tickets"])
        cursor = page.get("next_cursor")
        if not cursor:
            break
    return tickets

tickets = await all_tickets()
by_status = Counter(t["status"] for t in tickets)
by_assignee = Counter(t["assignee"] or "unassigned" for t in tickets)
print("Total:", len(tickets))
for status, n in by_status.most_common():
    print(f"  {status}: {n}")
print("Top assignees:", ", ".join(f"{a} ({n})" for a, n in by_assignee.most_common(3)))

now = max(datetime.fromisoformat(t["updated_at"].replace("Z", "+00:00")) for t in tickets)
stale = [t for t in tickets if (now - datetime.fromisoformat(t["created_at"].replace("Z", "+00:00"))).days > 0]
for t in sorted(stale, key=lambda t: (t["priority"], t["created_at"]))[:5]:
    print(t["id"], t["title"][:40], t["labels"])
