import asyncio
import random

values = {}


async def patient(number):
    key = f"group-{number}"
    for attempt in range(8):
        try:
            done = await mcp__counter__add(key=key, before_ms=number % 7 * 5, fails=attempt < number % 3)
            values[key] = done["value"]
            return
        except ToolError as error:
            if error.kind == "denied":
                seen = await mcp__counter__look(key=key)
                if seen["is_done"]:
                    values[key] = seen["value"]
                    return
            await asyncio.sleep(random.random() / 50)
    raise RuntimeError(f"{key} failed each time")


async with asyncio.TaskGroup() as group:
    for number in range(80):
        group.create_task(patient(number))
for key in sorted(values):
    print(key, values[key])
