created = await mcp__tickets__create_ticket(title="Check me", priority="high", labels=["bug", "auto"])
print(created["id"], created["status"], created["assignee"])
updated = await mcp__tickets__update_ticket(id=created["id"], status="in_progress", assignee="bo")
assert updated["status"] == "in_progress"
comment = await mcp__tickets__add_comment(id=created["id"], author="me", text="On it")
print(comment["author"], comment["text"])
full = await mcp__tickets__get_ticket(id=created["id"])
ticket, comments = full["ticket"], full["comments"]
print(ticket["comment_count"], len(comments), comments[0]["text"])
changes = {k: (created[k], updated[k]) for k in created if k in updated and created[k] != updated[k]}
for k, (old, new) in sorted(changes.items()):
    print(f"{k}: {old!r} -> {new!r}")
gone = await mcp__tickets__delete_ticket(id=created["id"])
print(gone["deleted"]["id"])
try:
    await mcp__tickets__get_ticket(id=created["id"])
except ToolError as exc:
    print("gone:", exc.message[:60])
else:
    raise AssertionError("still there")
