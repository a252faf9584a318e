"""Runs programs twice: here, where each tool call is a call of the official client, and through `mortise serve`.

argv[1] is the path of a job: {"direct": {NAME: SERVER}, "served": {NAME: SERVER}, "mortise": [...], "right": [FILE],
"wrong": [FILE]}, SERVER = {"command": [...], "env": {...}, "folder": PATH}. A file has many programs, each below a line
`#: what it does`. Both worlds have servers and folders of their own, which start out the same.

Prints {"right": COUNT, "differences": [TEXT], "wrong": COUNT, "refused": COUNT, "missed": [TEXT]}.
"""

import ast
import asyncio
import contextlib
import inspect
import io
import json
import re
import sys
import textwrap
from pathlib import Path

from mcp import Client, StdioServerParameters

ANSWER = "mortise/answer"


class ToolError(Exception):
    def __init__(self, tool, message, structured):
        super().__init__(message)
        self.tool, self.kind, self.message, self.structured = tool, "tool", message, structured


def programs(path):
    for part in Path(path).read_text().split("\n#: ")[1:]:
        title, code = part.split("\n", 1)
        yield f"{Path(path).stem}: {title}", code


def is_wrapper(schema):
    properties = (schema or {}).get("properties")
    return bool(properties) and list(properties) == ["result"] and schema.get("required") == ["result"]


def container(text):
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, (dict, list)) else None


def value_of(tool, schema, result):
    """The value of a call, by the rules that the guide for programs gives."""
    texts = [block.text for block in result.content if block.type == "text"]
    structured = result.structured_content
    if result.is_error:
        raise ToolError(tool, "\n".join(texts), structured)
    if structured is not None:
        return structured["result"] if is_wrapper(schema) else structured
    if len(texts) == 1:
        parsed = container(texts[0])
        return texts[0] if parsed is None else parsed
    return "\n".join(texts)


def function(client, callable_name, tool):
    async def call(**arguments):
        return value_of(callable_name, tool.output_schema, await client.call_tool(tool.name, arguments))

    return call


async def connect(stack, server):
    program, *arguments = server["command"]
    parameters = StdioServerParameters(command=program, args=arguments, env=server["env"])
    return await stack.enter_async_context(Client(parameters, read_timeout_seconds=60))


async def direct_tools(stack, servers):
    clients = await asyncio.gather(*(started(server) for server in servers.values()))
    tools = {"ToolError": ToolError}
    for name, (client, listed) in zip(servers, clients):
        stack.push_async_callback(client.stop)
        for tool in listed:
            callable_name = re.sub(r"[^A-Za-z0-9_]", "_", f"mcp__{name}__{tool.name}")
            tools[callable_name] = function(client, callable_name, tool)
    return tools


class Started:
    """A client that lives in a task of its own, since its scope can't be left from another one."""

    def __init__(self, server):
        self.server, self.ready, self.ending = server, asyncio.get_running_loop().create_future(), asyncio.Event()
        self.task = asyncio.create_task(self.live())

    async def live(self):
        async with contextlib.AsyncExitStack() as stack:
            try:
                client = await connect(stack, self.server)
                self.client, listed = client, (await client.list_tools()).tools
            except Exception as error:
                return self.ready.set_exception(error)
            self.ready.set_result(listed)
            await self.ending.wait()

    async def call_tool(self, name, arguments):
        return await self.client.call_tool(name, arguments)

    async def stop(self):
        self.ending.set()
        await self.task


async def started(server):
    client = Started(server)
    return client, await client.ready


def paths(servers):
    return f"FOLDER = {servers['filesystem']['folder']!r}\nREPOSITORY = {servers['git']['folder'] + '/repository'!r}\n"


def without_paths(text, servers):
    for name, server in servers.items():
        text = text.replace(server["folder"], f"/{name}")
    return text


async def run_direct(code, tools):
    """What the program prints under CPython; an exception ends it with its type."""
    printed = io.StringIO()
    compiled = compile(code, "<program>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    names = {"__name__": "__main__", "__builtins__": __builtins__, **tools}
    with contextlib.redirect_stdout(printed):
        try:
            running = eval(compiled, names)
            if inspect.isawaitable(running):
                await running
        except Exception as error:
            print(f"\n{type(error).__name__}: {error}")
    return printed.getvalue()


async def run_served(code, client):
    result = await client.call_tool("execute_program", {"code": code, "check": "guard"})
    text = "\n".join(block.text for block in result.content if block.type == "text")
    return text, (result.meta or {}).get(ANSWER, {})


async def main(job):
    async with contextlib.AsyncExitStack() as stack:
        tools = await direct_tools(stack, job["direct"])
        program, *arguments = job["mortise"]
        gateway, _ = await started({"command": [program, *arguments], "env": None})
        stack.push_async_callback(gateway.stop)
        right, differences = 0, []
        for path in job["right"]:
            for title, code in programs(path):
                right += 1
                theirs = without_paths(await run_direct(paths(job["direct"]) + code, tools), job["direct"])
                text, facts = await run_served(paths(job["served"]) + code, gateway)
                ours = without_paths(facts.get("output") or "", job["served"])
                if not facts.get("ok") or ours != theirs or not theirs:
                    said = textwrap.indent(without_paths(text, job["served"]), "  ")
                    differences.append(f"{title}\ndirect calls print:\n{textwrap.indent(theirs, '  ')}\nwe answer:\n{said}")
        wrong, refused, missed = 0, 0, []
        for path in job["wrong"]:
            for title, code in programs(path):
                wrong += 1
                text, facts = await run_served(paths(job["served"]) + code, gateway)
                is_refused = (facts.get("error") or {}).get("type") == "CheckError"
                calls = sum(tool["calls"] for tool in facts.get("ledger", {}).get("tools", []))
                if is_refused and not calls:
                    refused += 1
                else:
                    missed.append(f"{title}\n{textwrap.indent(text, '  ')}")
        print(json.dumps({"right": right, "differences": differences, "wrong": wrong, "refused": refused, "missed": missed}))


asyncio.run(main(json.loads(Path(sys.argv[1]).read_text())))
