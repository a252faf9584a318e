"""The functions that a program is given: its tools, what it can ask about them, and `emit`."""

import sys
import warnings
from contextvars import ContextVar


class ToolError(Exception):
    """A tool call that failed.

    tool: the name under which it was called; kind: the class of failure; message: what the tool itself said, else the
    sentence that str() gives; structured: the structured content of the error; content: its content blocks;
    violations: where a result breaks its schema.
    """

    def __init__(self, message="", *, tool=None, kind="tool", structured=None, content=(), violations=()):
        super().__init__(message)
        self.message = message
        self.tool = tool
        self.kind = kind
        self.structured = structured
        self.content = list(content)
        self.violations = list(violations)


ToolError.__module__ = "__main__"


def failed(tool, body):
    """The exception for a failure that the host described."""
    failure = decode_wide(body)
    error = ToolError(
        failure["message"],
        tool=tool,
        kind=failure["kind"],
        structured=failure["structured"],
        content=blocks(failure["content"]),
        violations=failure["violations"],
    )
    if failure["said"] is not None:
        error.message = failure["said"]
    return error


class ContentBlock(dict):
    """A content block as the server sent it. Printing it leaves out the data of images and other files."""

    def __repr__(self):
        return f"{{{', '.join(f'{key!r}: {shown(key, value)}' for key, value in self.items())}}}"


def shown(key, value):
    if key in ("data", "blob") and isinstance(value, str) and len(value) > 100:
        return f"<{len(value):,} characters of Base64>"
    return repr(value)


def blocks(content):
    """Content blocks that can be printed."""
    for at, block in enumerate(content):
        if isinstance(block, dict):
            content[at] = block = ContentBlock(block)
            if isinstance(block.get("resource"), dict):
                block["resource"] = ContentBlock(block["resource"])
    return content


# Whether the call that starts now is to bring its content too.
wants_content = ContextVar("wants_content", default=False)


async def with_content(call):
    """The value of a tool call, and all content blocks of its result: texts, images, resources, links."""
    if getattr(call, "cr_code", None) not in CALLS:
        if hasattr(call, "close"):
            call.close()
        raise TypeError("with_content() takes a tool call: write `value, content = await with_content(mcp__s__t(...))`")
    before = wants_content.set(True)
    try:
        return await call
    finally:
        wants_content.reset(before)


def received(mark, body):
    """The value of a call, and the content beside it."""
    if mark == "0":
        return decode(body), []
    value = decode_wide(body)
    if mark == "w":
        return value, []
    if mark == "c":
        return value, blocks(value)
    value, content = value
    return value, blocks(content)


# The functions that also take arguments by position: they are the same for all servers.
POSITIONAL = {
    "list_resources": ("server",),
    "read_resource": ("server", "uri"),
    "list_prompts": ("server",),
    "get_prompt": ("server", "name", "arguments"),
}


def tool_function(name):
    async def tool(*args, **kwargs):
        names = POSITIONAL.get(name, ())
        if names and len(args) > len(names):
            raise TypeError(f"{name}() takes {', '.join(names)} and no further argument")
        if len(args) > len(names):
            raise TypeError(f"{name}() takes keyword arguments only: write {name}(name=value)")
        kwargs.update(zip(names, args))
        with_blocks = wants_content.get()
        operation = "call_with_content" if with_blocks else "call"
        status, _, body = ask(operation, name, encode(kwargs, f"arguments to {name}"))
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
        if mark == "1":
            raise failed(name, body)
        value, content = received(mark, body)
        return (value, content) if with_blocks else value

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


# What the coroutines of tool calls run.
CALLS = (tool_function("").__code__, unavailable_function("").__code__)


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


def check_name(function, name):
    if not isinstance(name, str):
        raise TypeError(f"{function}() name must be a string, not {type(name).__name__}: {USAGE[function]}")


USAGE = {"keep": 'write keep(value, "name")', "load": 'write load("name")'}


async def keep(value, name):
    """Keeps a JSON value for later programs under a name, which `load` takes. Returns what is known about it."""
    check_name("keep", name)
    status, _, body = ask("keep", name, encode(value, "keep() value"))
    if status:
        raise failed("keep", body)
    return decode_wide(body)


async def load(name):
    """The value that an earlier program kept under this name."""
    check_name("load", name)
    return question("load", "load", name)


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
    for function in (with_content, inspect_tool, list_callable_tools, server_status, keep, load, emit, emit_image, emit_audio):
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
