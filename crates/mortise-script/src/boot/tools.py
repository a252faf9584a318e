"""The functions that a program is given: its tools, what it can ask about them, and `emit`."""

import sys
import warnings


class ToolError(Exception):
    """A tool call that failed.

    tool: the name under which it was called; kind: the class of failure; message: the sentence;
    structured: what the tool sent along; violations: where a result breaks its schema.
    """

    def __init__(self, message="", *, tool=None, kind="tool", structured=None, violations=()):
        super().__init__(message)
        self.message = message
        self.tool = tool
        self.kind = kind
        self.structured = structured
        self.violations = list(violations)


ToolError.__module__ = "__main__"


def failed(tool, body):
    """The exception for a failure that the host described."""
    failure = decode_wide(body)
    return ToolError(
        failure["message"],
        tool=tool,
        kind=failure["kind"],
        structured=failure["structured"],
        violations=failure["violations"],
    )


def tool_function(name):
    async def tool(*args, **kwargs):
        if args:
            raise TypeError(f"{name}() takes keyword arguments only: write {name}(name=value)")
        status, _, body = ask("call", name, encode(kwargs, f"arguments to {name}"))
        if status:
            raise failed(name, body)
        number = int(body)
        future = pending[number] = get_running_loop().create_future()
        try:
            mark, body = await future
        except BaseException:
            # Cancelled, or closed by hand.
            if pending.pop(number, None) is not None:
                forgotten.append(str(number))
            raise
        if mark == "0":
            return decode(body)
        if mark == "w":
            return decode_wide(body)
        raise failed(name, body)

    return named(tool, name)


def unavailable_function(name):
    async def tool(*args, **kwargs):
        # The host knows why: blocked, unknown, or its server is away.
        raise failed(name, ask("call", name, b"{}")[2])

    return named(tool, name)


def named(function, name):
    function.__name__ = function.__qualname__ = name
    function.__module__ = "__main__"
    return function


def question(name, operation, target=""):
    status, _, body = ask(operation, target)
    if status:
        raise failed(name, body)
    return decode_wide(body)


async def inspect_tool(tool_name):
    """What a tool takes and returns."""
    return question(tool_name, "inspect_tool", tool_name)


async def list_callable_tools():
    """The names of all tools."""
    return question(None, "list_callable_tools")


async def server_status():
    """Which servers are connected."""
    return question(None, "server_status")


class Emitted:
    """What `emit` returns: nothing, which may be awaited like everything else here."""

    def __await__(self):
        return
        yield

    def __repr__(self):
        return "None"


def emit(value):
    """Gives the program a structured result. The last one counts."""
    status, _, body = ask("emit", "", encode(value, "emit() value"))
    if status:
        raise ValueError(body.decode())
    return Emitted()


def given_functions(tools, blocked):
    given = {name: tool_function(name) for name in tools}
    given.update((name, unavailable_function(name)) for name in blocked)
    for function in (inspect_tool, list_callable_tools, server_status, emit):
        given[function.__name__] = named(function, function.__name__)
    given["ToolError"] = ToolError
    return given


def names_in(code):
    """Every name that a program uses, in all its functions."""
    todo, names = [code], set()
    while todo:
        code = todo.pop()
        names.update(code.co_names)
        todo.extend(constant for constant in code.co_consts if isinstance(constant, type(code)))
    return names


def warn_unawaited(coroutine):
    """As Python warns, and with more to say about a tool that was called without `await`."""
    name = coroutine.__qualname__
    text = f"coroutine '{name}' was never awaited"
    file, line, source = "sys", 1, coroutine
    if coroutine.cr_code.co_filename == OWN_CODE:
        text += f": the tool was not called, write `await {name}(...)`"
        if coroutine.cr_origin:
            file, line, _ = coroutine.cr_origin[0]
        source = None
    elif (frame := sys._getframe(1)).f_code.co_filename != OWN_CODE:
        file, line = frame.f_code.co_filename, frame.f_lineno
    warnings.warn_explicit(text, RuntimeWarning, file, line, source=source)


def install_warnings():
    sys.set_coroutine_origin_tracking_depth(1)
    warnings._warn_unawaited_coroutine = warn_unawaited
