res = await mcp__tickets__list_tickets(limit=5)
tickets = res.get("tickets", []) if isinstance(res, dict) else res
for t in tickets:
    print(t["id"], t["title"])
