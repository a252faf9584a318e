def pick(n): return "high" if n > 3 else "low"
args = {"title": "x", "priority": pick(4)}
t = await mcp__tickets__create_ticket(**args)
print(t["id"])
p = pick(1)
t = await mcp__tickets__create_ticket(title="y", priority=p, labels=["a"] + ["b"], assignee=None)
u = await mcp__tickets__update_ticket(id=t["id"], status="closed" if True else "open")
print(u["status"])
await mcp__tickets__delete_ticket(id=t["id"])
