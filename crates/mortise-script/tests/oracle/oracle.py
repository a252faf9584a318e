"""Runs one program of the corpus in the Python that runs this file, with the tools of `tools.json`.

Usage: python3 oracle.py PROGRAM. Prints what the program prints, then what it emitted, then how it failed, in the
same form as the example `corpus` of this crate.
"""

import ast
import asyncio
import builtins
import inspect
import json
import pathlib
import sys
import types

TOOLS = json.loads((pathlib.Path(__file__).parent / "tools.json").read_text(encoding="utf-8"))


class ToolError(Exception):
    def __init__(self, message, *, tool=None, kind="tool", structured=None, violations=()):
        super().__init__(message)
        self.message, self.tool, self.kind = message, tool, kind
        self.structured, self.violations = structured, list(violations)


ToolError.__module__ = "__main__"


class Tool:
    """One tool, by its kind."""

    def __init__(self, name, spec):
        self.name, self.spec, self.failures = name, spec, {}

    def call(self, arguments):
        return getattr(self, self.spec["kind"])(arguments)

    def fail(self, message):
        raise ToolError(f"'{self.name}' returned an error: {message}", tool=self.name)

    def table(self, arguments):
        rows = self.spec["rows"]
        for key, value in arguments.items():
            if key not in self.spec["filters"]:
                self.fail(f"unknown argument {key}")
            rows = [row for row in rows if row[key] == value]
        return rows

    def lookup(self, arguments):
        value = self.spec["values"].get(str(arguments.get(self.spec["key"])))
        return value if value is not None else self.fail(self.spec["missing"])

    def pages(self, arguments):
        items, size, page = self.spec["items"], self.spec["size"], arguments.get("page", 1)
        more = page * size < len(items)
        chosen = items[(page - 1) * size : page * size]
        return {"items": chosen, "page": page, "total": len(items), "next": page + 1 if more else None}

    def cursor(self, arguments):
        items, size, start = self.spec["items"], self.spec["size"], int(arguments.get("cursor") or 0)
        end = start + size
        return {"items": items[start:end], "nextCursor": str(end) if end < len(items) else None}

    def flaky(self, arguments):
        key = json.dumps(arguments, sort_keys=True)
        self.failures[key] = self.failures.get(key, 0) + 1
        if self.failures[key] <= self.spec["failures"]:
            self.fail(self.spec["error"])
        return self.spec["value"]

    def constant(self, arguments):
        return self.spec["value"]

    def error(self, arguments):
        self.fail(self.spec["error"])

    def echo(self, arguments):
        return arguments


def function(name, tool):
    async def call(**arguments):
        arguments = json.loads(json.dumps(arguments, default=plain))
        await asyncio.sleep(0)
        return json.loads(json.dumps(tool.call(arguments)))

    call.__name__ = call.__qualname__ = name
    return call


def plain(value):
    if hasattr(value, "__dataclass_fields__"):
        return {field: getattr(value, field) for field in value.__dataclass_fields__}
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return value.isoformat()


async def in_loop(code, space):
    await eval(code, space)


def main(path):
    source = pathlib.Path(path).read_text(encoding="utf-8")
    module = types.ModuleType("__main__")
    space = module.__dict__
    sys.modules["__main__"] = module
    emitted = []
    space.update({name: function(name, Tool(name, spec)) for name, spec in TOOLS.items()})
    space.update(__builtins__=builtins, ToolError=ToolError, emit=emitted.append)
    sys.argv = ["<program>"]
    sys.stderr = sys.stdout
    failure = None
    try:
        code = compile(source, "<program>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        if code.co_flags & inspect.CO_COROUTINE:
            asyncio.run(in_loop(code, space))
        else:
            exec(code, space)
    except BaseException as error:
        if not (isinstance(error, SystemExit) and error.code in (None, 0)):
            failure = f"{type(error).__name__}: {error}"
    if emitted:
        print("--- result ---")
        print(json.dumps(emitted[-1], default=plain, ensure_ascii=False))
    if failure:
        print("--- error ---")
        print(failure)


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    main(sys.argv[1])
