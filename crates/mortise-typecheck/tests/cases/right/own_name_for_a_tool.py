async def mcp__market__quote(*arguments, **named):
    return {"anything": arguments}
print((await mcp__market__quote("A", 5))["anything"])
