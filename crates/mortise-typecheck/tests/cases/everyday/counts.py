from collections import Counter, defaultdict
tickets = []
cursor = None
while True:
    kwargs = {"cursor": cursor} if cursor else {}
    page = await mcp__tickets__list_tickets(limit=20, **kwargs)
    tickets.extend(page["tickets"])
    cursor = page.get("next_cursor")
    if not cursor:
        break
by = Counter(t["status"] for t in tickets)
labels = Counter(l for t in tickets for l in t["labels"])
print(by.most_common(2), labels.most_common(3))
d = defaultdict(list)
for t in tickets:
    d[t["priority"]].append(t["id"])
print({k: len(v) for k, v in d.items()})
nested = defaultdict(lambda: defaultdict(int))
for t in tickets:
    nested[t["status"]][t["priority"]] += 1
print(json_like := {k: dict(v) for k, v in nested.items()})
