import re
tickets = []
cursor = ""
while cursor is not None:
    page = await mcp__tickets__list_tickets(limit=100, **({"cursor": cursor} if cursor else {}))
    tickets += page["tickets"]
    cursor = page.get("next_cursor")
matrix = {}
for t in tickets:
    for label in set(t["labels"]):
        matrix.setdefault(label, {"open": 0, "in_progress": 0, "closed": 0})[t["status"]] += 1
for label, row in sorted(matrix.items()):
    done = row["closed"] / sum(row.values())
    print(f"{label:<10} {row['open']:>3} {row['in_progress']:>3} {row['closed']:>3} {done:.0%}")
words = [w for t in tickets for w in re.findall(r"[a-z]+", t["title"].lower()) if len(w) > 5]
print(sorted(set(words))[:5])
everyone = {t["assignee"] for t in tickets} - {None}
idle = {"bo", "dora", "zed"} - everyone
print(sorted(everyone), sorted(idle))
dup = [t["id"] for i, t in enumerate(tickets) if any(u["title"] == t["title"] for u in tickets[:i])]
print(len(dup) >= 0, any(t["assignee"] is None for t in tickets), all(t["comment_count"] >= 0 for t in tickets))
age = lambda t: (t["updated_at"], t["created_at"])
print(min(tickets, key=age)["id"])
