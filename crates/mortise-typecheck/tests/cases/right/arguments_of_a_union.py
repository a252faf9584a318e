await mcp__mail__send(body="x", to="a")
await mcp__mail__send(body="x", cc="a")
await mcp__mail__send(body="x", to="a", urgent=True)
await mcp__mail__attach(kind="text", text="x")
await mcp__mail__attach(kind="file", file={"path": "p"})
# Beside a text the schema says nothing about a file.
await mcp__mail__attach(kind="text", text="x", file={"name": "p"})
await mcp__mail__attach(kind="text", text="x", file=1)
