"""Many small programs at once over HTTP, from several official Python clients; what it cost, as JSON.

Job in argv[1]: {"command": [...]} of a gateway that says on standard error where it listens. Each
program calls one tool.
"""

import asyncio
import json
import re
import sys
import time
from pathlib import Path

from mcp import Client

from programs import program

CLIENTS = 20
PROGRAMS = 50  # of each client
START_SECONDS = 30
SHOWN = 3


async def address(stderr):
    while line := (await stderr.readline()).decode():
        if found := re.search(r"http://\S+/mcp", line):
            return found[0]
    raise SystemExit("the gateway ended without an address")


async def drain(stderr):
    while await stderr.read(65536):
        pass


async def one(client, failures):
    tool, code = program("mortise", "first")
    try:
        result = await client.call_tool(tool, {"code": code})
        text = "\n".join(block.text for block in result.content if block.type == "text")
        if result.is_error or "42" not in text:
            failures.append(text)
    except Exception as error:  # every failure counts, whatever its class
        failures.append(repr(error))


async def work(url, everybody, failures):
    async with Client(url, read_timeout_seconds=120) as client:
        await everybody.wait()
        started = time.perf_counter()
        await asyncio.gather(*[one(client, failures) for _ in range(PROGRAMS)])
        return started, time.perf_counter()


async def main(job):
    gateway = await asyncio.create_subprocess_exec(*job["command"], stderr=asyncio.subprocess.PIPE)
    try:
        url = await asyncio.wait_for(address(gateway.stderr), START_SECONDS)
        reading = asyncio.create_task(drain(gateway.stderr))
        failures = []
        # The first program waits for the upstream; that is measured elsewhere.
        async with Client(url, read_timeout_seconds=120) as client:
            await one(client, failures)
        everybody = asyncio.Barrier(CLIENTS)
        spans = await asyncio.gather(*[work(url, everybody, failures) for _ in range(CLIENTS)])
        status = Path(f"/proc/{gateway.pid}/status").read_text()
    finally:
        gateway.terminate()
        await gateway.wait()
    await reading
    print(
        json.dumps(
            {
                "programs": CLIENTS * PROGRAMS,
                "failed": len(failures),
                "failures": failures[:SHOWN],
                "wall_ms": (max(end for _, end in spans) - min(start for start, _ in spans)) * 1_000,
                "peak_kib": int(re.search(r"VmHWM:\s*(\d+)", status)[1]),
            }
        )
    )


asyncio.run(main(json.loads(sys.argv[1])))
