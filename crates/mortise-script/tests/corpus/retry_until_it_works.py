async def fetch(attempts=5):
    for attempt in range(1, attempts + 1):
        try:
            result = await mcp__flaky__fetch(id=1)
            print("attempt", attempt, "worked")
            return result
        except ToolError as e:
            print("attempt", attempt, "failed:", e)
    raise RuntimeError("gave up")
print((await fetch())["items"])
