"""One session with one gateway through the official Python client, and what it cost, as JSON.

Job in argv[1]: {"system", "command": [...], "env": {...}, "upstream": the path of upstream.py}. The
system `direct` has no gateway: its command is the upstream's, and the programs run in this process.
"""

import asyncio
import json
import statistics
import sys
import time

from mcp import Client, StdioServerParameters
from mcp.client.stdio import get_default_environment

from programs import DIALECTS, program
from tree import Peak, Tree

TRIVIAL = 20
# A model thinks between two programs, for longer than this.
APART_SECONDS = 0.05
IDLE_SECONDS = 0.2


class Failed(Exception):
    """A program failed or gave a wrong answer."""


class Direct:
    """The programs without a gateway."""

    def __init__(self, client):
        self.client = client

    async def run(self, name):
        return await getattr(self, name)()

    async def twice(self, n):
        return (await self.client.call_tool("twice", {"n": n})).structured_content["value"]

    async def first(self):
        return await self.twice(21)

    # Without a gateway, the smallest thing to ask for is a call.
    trivial = first

    async def sequential(self):
        return sum([await self.twice(n) for n in range(100)])

    async def concurrent(self):
        return sum(await asyncio.gather(*[self.twice(n) for n in range(100)]))

    async def rows(self):
        result = await self.client.call_tool("table", {"count": 1000})
        totals = {}
        for row in result.structured_content["rows"]:
            if row["units"] > 1:
                totals[row["region"]] = totals.get(row["region"], 0) + row["amount"]
        return " ".join(f"{region}={totals[region]}" for region in sorted(totals))


class Gateway:
    """The programs as text, for the tool that runs them."""

    def __init__(self, client, dialect):
        self.client = client
        self.dialect = dialect

    async def run(self, name):
        tool, code = program(self.dialect, name)
        result = await self.client.call_tool(tool, {"code": code})
        text = "\n".join(block.text for block in result.content if block.type == "text")
        if result.is_error:
            raise Failed(f"{name}: {text}")
        return text


ANSWERS = {
    "first": "42",
    "trivial": "42",
    "sequential": "9900",
    "concurrent": "9900",
    "rows": "east=75150 north=74900 south=75400 west=74650",
}


async def timed(system, name):
    started = time.perf_counter()
    answer = str(await system.run(name))
    elapsed = (time.perf_counter() - started) * 1_000
    if ANSWERS[name] not in answer:
        raise Failed(f"{name}: {answer!r} instead of {ANSWERS[name]!r}")
    return elapsed


async def timed_apart(system, name):
    await asyncio.sleep(APART_SECONDS)
    return await timed(system, name)


async def main(job):
    gateway, *arguments = job["command"]
    env = get_default_environment() | job["env"]
    tree = Tree(job["upstream"])
    costs = {}
    started = time.perf_counter()
    server = StdioServerParameters(command=gateway, args=arguments, env=env)
    async with Client(server, read_timeout_seconds=120) as client:
        await client.list_tools()
        costs["cold_ms"] = (time.perf_counter() - started) * 1_000
        system = Gateway(client, job["system"]) if job["system"] in DIALECTS else Direct(client)
        costs["first_ms"] = await timed(system, "first")
        costs["ready_ms"] = (time.perf_counter() - started) * 1_000
        before = tree.cpu_ms()
        costs["trivial_ms"] = statistics.median([await timed(system, "trivial") for _ in range(TRIVIAL)])
        costs["apart_ms"] = statistics.median([await timed_apart(system, "trivial") for _ in range(TRIVIAL)])
        for name in ("sequential", "concurrent", "rows"):
            costs[f"{name}_ms"] = await timed(system, name)
        costs["cpu_ms"] = tree.cpu_ms() - before
        await asyncio.sleep(IDLE_SECONDS)
        costs["idle_kib"] = tree.resident_kib()
        # Watching takes time of its own, so it comes after the clocks.
        with Peak(tree) as peak:
            for name in ("sequential", "concurrent", "rows"):
                await timed(system, name)
        costs["peak_kib"] = max(peak.kib, costs["idle_kib"])
    print(json.dumps(costs))


try:
    asyncio.run(main(json.loads(sys.argv[1])))
except Exception as error:
    # The client's task groups wrap what went wrong; the page has room for one line of it.
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    sys.exit(" ".join(f"{error!r}".split()))
