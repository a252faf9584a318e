import asyncio
async def income(ticker):
    rows = await mcp__finance__income(ticker=ticker)
    return ticker, sum(r["net_income"] for r in rows)
async with asyncio.TaskGroup() as group:
    tasks = [group.create_task(income(t)) for t in ("GOOG", "MSFT")]
print({t: round(v, 2) for t, v in (task.result() for task in tasks)})
