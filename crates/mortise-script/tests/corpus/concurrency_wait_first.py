import asyncio
async def after(n):
    await asyncio.sleep(n)
    return n
tasks = {asyncio.create_task(after(n), name=f"t{n}") for n in (0.01, 5, 6)}
done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
print([t.get_name() for t in done], len(pending))
for t in pending:
    t.cancel()
print(sorted(type(r).__name__ for r in await asyncio.gather(*pending, return_exceptions=True)))
