arguments = {"ticker": "A", "limit": 5}
print(await mcp__market__history(**arguments))
print(await mcp__market__quote(**{"ticker": "A"}))
