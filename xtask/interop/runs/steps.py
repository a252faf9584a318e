import asyncio

failed = 0
for step in range(12):
    await mcp__counter__put(key=f"state-{step}", before_ms=5, after_ms=5)
    try:
        await mcp__counter__put(key="never", fails=True)
    except ToolError as error:
        failed += 1
    while True:
        try:
            await mcp__counter__add(key=f"step-{step}", before_ms=10, after_ms=10)
            break
        except ToolError as error:
            if (await mcp__counter__look(key=f"step-{step}"))["is_done"]:
                break
    seen = await mcp__counter__look(key=f"state-{step}")
    print(step, seen["value"], seen["is_done"])
    await asyncio.sleep(0.01)
print("failed", failed)
