# Who has too much on the table, and which tickets nobody has.
from collections import Counter

tickets, cursor = [], None
while True:
    page = await mcp__tickets__list_tickets(status="open", limit=50, **({"cursor": cursor} if cursor else {}))
    tickets += page["tickets"]
    cursor = page.get("next_cursor")
    if not cursor:
        break

load = Counter(ticket.get("assignee") or "nobody" for ticket in tickets)
for person, number in load.most_common():
    print(f"{person:<10} {'█' * number} {number}")
unassigned = [ticket["id"] for ticket in tickets if not ticket.get("assignee")]
print("without an owner:", ", ".join(unassigned) or "none")
