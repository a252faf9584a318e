base = {"id": "P"}
print(await mcp__shop__order(items=[{**base, "quantity": 1}]))
print(await mcp__shop__order(items=[dict(base, quantity=2)]))
print(await mcp__shop__order(items=[base | {"quantity": 3}]))
