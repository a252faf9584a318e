"""Drives the official Python client: lists tools and calls them as the job in argv[1] says.

Job: {"command": [...]} or {"url": "..."}, "mode": "auto" | "legacy", "calls": [{"tool", "arguments"}].
With "answers", questions (elicitation) are accepted with these contents, in order, and "asked" has their messages.
Prints {"protocol", "tools", "calls"}; a call that the client refuses to hand on is {"refused": message}.
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult


def wire(model):
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


async def list_tools(client):
    tools, cursor = [], None
    while True:
        page = await client.list_tools(cursor=cursor) if cursor is not None else await client.list_tools()
        tools.extend(wire(tool) for tool in page.tools)
        cursor = page.next_cursor
        if cursor is None:
            return tools


async def call(client, tool, arguments):
    try:
        return wire(await client.call_tool(tool, arguments))
    except Exception as error:  # every refusal counts, whatever its class
        return {"refused": str(error)}


async def main(job):
    if "url" in job:
        server = job["url"]
    else:
        program, *arguments = job["command"]
        server = StdioServerParameters(command=program, args=arguments, env=job.get("env"))
    options, asked = {}, []
    if "answers" in job:

        async def answer(context, params):
            asked.append(params.message)
            if len(asked) > len(job["answers"]):
                return ElicitResult(action="decline")
            return ElicitResult(action="accept", content=job["answers"][len(asked) - 1])

        options["elicitation_callback"] = answer
    async with Client(server, mode=job.get("mode", "auto"), read_timeout_seconds=60, **options) as client:
        tools = await list_tools(client)
        calls = [await call(client, it["tool"], it["arguments"]) for it in job.get("calls", [])]
        print(json.dumps({"protocol": client.protocol_version, "tools": tools, "calls": calls, "asked": asked}))


asyncio.run(main(json.loads(sys.argv[1])))
