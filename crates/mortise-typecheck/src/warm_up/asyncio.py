import asyncio
import json


async def fetch(number: int) -> dict[str, float]:
    await asyncio.sleep(0)
    return {"value": number / 2}


async def main():
    async with asyncio.Semaphore(2):
        found = await asyncio.gather(*[fetch(n) for n in range(3)], return_exceptions=True)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(fetch(n)) for n in range(3)]
    print(json.dumps({"total": sum(item["value"] for item in found if isinstance(item, dict))}, indent=2))
    print(json.loads("{}"), [task.result() for task in tasks], await asyncio.wait_for(fetch(1), 5))


await main()
