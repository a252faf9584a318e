for number in range(51):
    await mcp__counter__add(key=f"write-{number}")
print("51 writes")
