"""Drives the FastMCP client; job and answer are those of python_client.py."""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport


def wire(model):
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


async def call(client, tool, arguments):
    try:
        result = await client.call_tool(tool, arguments, raise_on_error=False)
    except Exception as error:  # every refusal counts, whatever its class
        return {"refused": str(error)}
    answer = {"content": [wire(block) for block in result.content], "isError": result.is_error}
    if result.structured_content is not None:
        answer["structuredContent"] = result.structured_content
    return answer


async def main(job):
    if "url" in job:
        server = job["url"]
    else:
        program, *arguments = job["command"]
        server = StdioTransport(program, arguments, env=job.get("env"))
    async with Client(server, mode=job.get("mode", "auto"), timeout=60) as client:
        tools = [wire(tool) for tool in await client.list_tools()]
        calls = [await call(client, it["tool"], it["arguments"]) for it in job.get("calls", [])]
        print(json.dumps({"tools": tools, "calls": calls}))


asyncio.run(main(json.loads(sys.argv[1])))
