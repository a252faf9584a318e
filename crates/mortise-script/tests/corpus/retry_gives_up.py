for attempt in range(2):
    try:
        print(await mcp__flaky__fetch(id=9))
    except ToolError as e:
        last = e
raise RuntimeError(f"gave up after {attempt + 1}") from last
