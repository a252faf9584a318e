import asyncio
import json


async def enrich(task):
    found = await mcp__board__raw()
    task["owner"] = found
    return task


def attach(task, owner):
    task["owner"] = owner


page = await mcp__board__list_tasks()
tasks = await asyncio.gather(*(enrich(task) for task in page["tasks"]))
print([task["owner"]["items"] for task in tasks])
for task in page["tasks"]:
    attach(task, json.loads('{"login": "ann"}'))
    print(task["owner"]["login"])
