from contextlib import asynccontextmanager, contextmanager, suppress, ExitStack, AsyncExitStack
import time
@asynccontextmanager
async def ticket(**kw):
    t = await mcp__tickets__create_ticket(**kw)
    try:
        yield t
    finally:
        await mcp__tickets__delete_ticket(id=t["id"])
@contextmanager
def timed(label):
    t0 = time.monotonic()
    try:
        yield lambda: time.monotonic() - t0
    finally:
        print(label, "done")
async with ticket(title="temp", priority="low") as t, AsyncExitStack() as stack:
    other = await stack.enter_async_context(ticket(title="two"))
    print(t["priority"], other["title"], other["priority"])
    with timed("block") as elapsed, suppress(ToolError):
        await mcp__tickets__get_ticket(id="T-9999")
    assert elapsed() >= 0
with suppress(KeyError):
    print(t["severity"])
with ExitStack() as es:
    es.callback(print, "bye")
