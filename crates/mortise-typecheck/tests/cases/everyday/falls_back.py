t = await mcp__tickets__get_ticket(id="T-101")
ticket = t.get("ticket") or {}
print(ticket.get("title"), (ticket.get("assignee") or "nobody").upper())
comments = t.get("comments") or []
print([c.get("author", "?") for c in comments])
