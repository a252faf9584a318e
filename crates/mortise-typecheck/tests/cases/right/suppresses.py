import contextlib
rows = await mcp__market__history(ticker="A")
with contextlib.suppress(KeyError):
    print(rows[0]["revenues"])
