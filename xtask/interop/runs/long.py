import asyncio

for number in range(24):
    await mcp__counter__add(key=f"long-{number}", before_ms=100)
    print("part", number)
    await asyncio.sleep(0.4)
print("end")
