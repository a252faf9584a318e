fix = {"quantity": 3, "id": "A"}
await mcp__shop__order(items=[{"id": 0, "quantity": "many", **fix}, {"id": 1, "id": "B", "quantity": 2}])
await mcp__board__send(to=["ann"], body="hi", urgent="yes")
await mcp__market__history(ticker="A", limit="05")
