"""Runs a long program through a proxy that cuts connections; the job in argv[1] has url, way and code.

Ways: "legacy" and "auto" use the official client, yield_seconds and wait_program; "task" asks for a task by hand.
Prints {"text", "answers"}: the last answer, and how many there were.
"""

import asyncio
import json
import sys

import httpx
from mcp import Client

MODERN = "2026-07-28"


async def by_waiting(job):
    async with Client(job["url"], mode=job["way"], read_timeout_seconds=60) as client:
        arguments = {"code": job["code"], "yield_seconds": 1, "outlive_client": True}
        answer = await client.call_tool("execute_program", arguments)
        answers = 1
        while answer.meta["mortise/answer"]["ok"] is None:
            run = answer.meta["mortise/answer"]["run"]
            answer = await client.call_tool("wait_program", {"run": run, "seconds": 3})
            answers += 1
        return {"text": answer.content[0].text, "answers": answers}


async def request(http, job, number, method, params, name):
    params["_meta"] = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "patient", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
    }
    headers = {
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": MODERN,
        "mcp-method": method,
        "mcp-name": name,
    }
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    response = await http.post(job["url"], json=message, headers=headers)
    lines = response.text.splitlines()
    texts = [line[5:] for line in lines if line.startswith("data:")] or [response.text]
    answers = [json.loads(text) for text in texts if text.strip()]
    answer = next((it for it in answers if it.get("id") == number), None)
    if answer is None or "result" not in answer:
        raise RuntimeError(f"HTTP {response.status_code}: {response.text}")
    return answer["result"]


async def as_task(job):
    async with httpx.AsyncClient(timeout=30, limits=httpx.Limits(max_keepalive_connections=0)) as http:
        call = {"name": "execute_program", "arguments": {"code": job["code"]}}
        task = await request(http, job, 1, "tools/call", call, "execute_program")
        if task.get("resultType") != "task":
            raise RuntimeError(f"not a task: {task}")
        answers, created = 1, task["taskId"]
        while task["status"] == "working":
            await asyncio.sleep(max(task.get("pollIntervalMs", 500), 500) / 1000)
            answers += 1
            task = await request(http, job, answers, "tasks/get", {"taskId": created}, created)
        return {"text": task.get("result", task)["content"][0]["text"], "answers": answers}


async def main(job):
    print(json.dumps(await (as_task(job) if job["way"] == "task" else by_waiting(job))))


asyncio.run(main(json.loads(sys.argv[1])))
