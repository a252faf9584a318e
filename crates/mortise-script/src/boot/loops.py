"""asyncio on top of the host: waiting is one operation, which brings the answers of tool calls.

A program always runs inside an event loop, so that `await` works at its top level. `asyncio.run` and its relatives
would refuse to work there, so they step out of the loop and back in.
"""

import asyncio
import contextlib
import functools
import selectors
import threading
from asyncio import base_events, events, get_running_loop, runners, tasks
from math import ceil

# Tool calls that have not been answered, by number.
pending = {}

# Numbers of tool calls that nobody awaits any more. The host hears of them together, at the next wait: told one by one
# it would start calls that are next in line and about to be forgotten too.
forgotten = []


class NothingToWaitFor(BaseException):
    """The program waits, and neither an answer nor a timer can come."""


class HostSelector(selectors._BaseSelectorImpl):
    """Waits for the host instead of for descriptors."""

    def select(self, timeout=None):
        if timeout is not None and timeout > 0:
            timeout = ceil(timeout * 1000) / 1000
        status, labels, body = ask("wait", " ".join(forgotten), None, timeout)
        forgotten.clear()
        if status == 2:
            raise NothingToWaitFor
        at = 0
        for number, label in labels:
            size = int(label[1:])
            future = pending.pop(int(number), None)
            # An answer may come for a loop that was closed meanwhile; nobody is left there to take it.
            if future is not None and not future.done() and not future.get_loop().is_closed():
                future.set_result((label[0], body[at : at + size]))
            at += size
        return []


@contextlib.contextmanager
def outside_loop():
    """Leaves the running loop, if there is one, for the time of the block."""
    loop = events._get_running_loop()
    if loop is None:
        yield
        return
    task = tasks._swap_current_task(loop, None)
    events._set_running_loop(None)
    try:
        yield
    finally:
        events._set_running_loop(loop)
        tasks._swap_current_task(loop, task)


def stepping_out(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        with outside_loop():
            return function(*args, **kwargs)

    return wrapper


run_until_complete = base_events.BaseEventLoop.run_until_complete


def run_until_complete_anywhere(self, future):
    if self.is_running() and asyncio.iscoroutine(future):
        return asyncio.run(future)
    with outside_loop() if not self.is_running() else contextlib.nullcontext():
        return run_until_complete(self, future)


def run_inline(self, executor, function, *args):
    """There is one thread: what would run in another one runs here and now."""
    future = self.create_future()
    try:
        future.set_result(function(*args))
    except Exception as error:
        future.set_exception(error)
    return future


def no_thread(self):
    raise RuntimeError(
        "can't start new thread: programs have one thread. Use asyncio.gather for tool calls; "
        "asyncio.to_thread and executors run inline."
    )


def install_loops():
    selectors.DefaultSelector = HostSelector
    asyncio.run = runners.run = stepping_out(runners.run)
    runners.Runner.run = stepping_out(runners.Runner.run)
    base_events.BaseEventLoop.run_until_complete = run_until_complete_anywhere
    base_events.BaseEventLoop.run_in_executor = run_inline
    threading.Thread.start = no_thread
