import asyncio
async with asyncio.TaskGroup() as tg:
    a = tg.create_task(mcp__inventory__list_products())
    b = tg.create_task(mcp__inventory__list_orders())
print(len(a.result()["products"]), len(b.result()["orders"]))
try:
    async with asyncio.TaskGroup() as tg:
        tg.create_task(mcp__weather__get_weather(city="Zz"))
except* ToolError as eg:
    print(len(eg.exceptions), eg.exceptions[0])
