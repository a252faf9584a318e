"""Runs the program from its first line to the word about its end."""

import ast
import asyncio
import atexit
import builtins
import inspect
import linecache
import sys
import types
from asyncio import all_tasks, wait
from gc import collect, freeze
from traceback import clear_frames

# How long tasks that are left over get to clean up after themselves.
CLEAN_UP_SECONDS = 1

# Room for the first steps after memory has run out.
reserve = bytearray(1 << 16)


def main():
    try:
        prepare()
        run_program(start_message())
    except BaseException as error:
        # A program can take down what it stands on, this code included.
        report_bare_end(error)
    leave()


def report_bare_end(error):
    try:
        report_end(by_name(error, "exception"))
    except BaseException:
        report_unknown_end()


def prepare():
    """All that is the same for every program. It may be done long before there is one."""
    open_streams()
    install_loops()
    install_absent()
    hide_own_frames()
    install_warnings()
    given_builtins.update(vars(builtins))


def run_program(start):
    show_files(start["files"])
    # The randomness before a program is the same for all guests.
    if "random" in sys.modules:
        sys.modules["random"].seed()
    sys.argv = [PROGRAM, *start["arguments"]]
    space = fresh_main()
    try:
        code = compiled(start["source"])
    except BaseException as error:
        return report_end(describe(error, "syntax" if isinstance(error, SyntaxError) else "exception"))
    space.update(given_functions(start["tools"], start["blocked"]))
    for name in names_in(code):
        if name.startswith("mcp__") and name not in space:
            space[name] = unavailable_function(name)
    # What is here already need not be looked at whenever garbage is collected.
    freeze()
    report_end(execute(code, space))
    # As at the end of any Python program: what its names held is dropped, with what that prints. The end is reported
    # before, since dropping deep structures can take the interpreter down.
    space.clear()
    collect()


def compiled(source):
    linecache.cache[PROGRAM] = (len(source), None, source.splitlines(True), PROGRAM)
    try:
        return compile(source, PROGRAM, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (MemoryError, RecursionError) as error:
        if "source" not in str(error) and "compilation" not in str(error):
            raise
        raise SyntaxError(f"the program nests too deeply ({error})") from None


def fresh_main():
    module = types.ModuleType("__main__")
    module.__builtins__ = builtins
    sys.modules["__main__"] = module
    return module.__dict__


# The builtins as the program got them.
given_builtins = {}


def restore_builtins():
    """The standard library that tells of the program's end needs those that the program may have replaced."""
    vars(builtins).update(given_builtins)


def execute(code, space):
    """Runs the code in a loop and cleans up; what went wrong, or None."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.close = lambda: None
    task = loop.create_task(program(code, space))
    error = None
    try:
        try:
            run_until_complete(loop, task)
        finally:
            restore_builtins()
    except NothingToWaitFor:
        error = describe(stuck(task))
    except SystemExit as exit:
        # It is dealt with here; the task would show it again at its end.
        if task.done() and not task.cancelled():
            task.exception()
        error = describe(exit) if exit.code not in (None, 0, False) else None
    except MemoryError as exception:
        give_memory_back(exception, space)
        error = describe(exception)
    except BaseException as exception:
        error = describe(exception)
    try:
        clean_up(loop)
    except SystemExit:
        pass
    except BaseException as exception:
        error = error or describe(exception)
    restore_builtins()
    return error


def give_memory_back(error, space):
    """Drops what the program holds, so that there is room to say what happened."""
    reserve.clear()
    clear_frames(error.__traceback__)
    space.clear()
    collect()


async def program(code, space):
    result = eval(code, space)
    if code.co_flags & inspect.CO_COROUTINE:
        await result


def clean_up(loop):
    left = all_tasks(loop)
    for task in left:
        task.cancel()
    try:
        if left:
            run_until_complete(loop, wait(left, timeout=CLEAN_UP_SECONDS))
        if loop._asyncgens:
            run_until_complete(loop, loop.shutdown_asyncgens())
    except NothingToWaitFor:
        pass
    atexit._run_exitfuncs()


def begin(door=host):
    try:
        main()
    except BaseException:
        # It ends inside. Coming here, a program has taken apart what it stands on, and nothing of that is for its
        # reader; what is needed now is out of its reach.
        pass
    door("leave", "", (), None, None)


begin()
