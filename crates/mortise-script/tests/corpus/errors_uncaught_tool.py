print("before")
await mcp__broken__always(x=1)
print("never")
