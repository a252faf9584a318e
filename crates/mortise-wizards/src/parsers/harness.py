import base64
import datetime
import decimal
import itertools
import math
import sys
import types

PARSER = "parser.py"
source, path, batch_rows, inflated = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
sys.argv[:] = [PARSER]


class RowError(TypeError):
    """What parse() gave is no row."""


def bound_gzip():
    """Ends a compressed file that grows and grows, where the host's own reader ends it."""
    import gzip

    reader = gzip._GzipReader
    unbounded = reader.read

    def read(self, size=-1):
        data = unbounded(self, size)
        if self._pos > inflated:
            raise OSError(f"the file becomes larger than {inflated} bytes when it is uncompressed")
        return data

    reader.read = read


def load():
    if "gzip" in source:
        bound_gzip()
    module = types.ModuleType("parser")
    module.__file__ = PARSER
    exec(compile(source, PARSER, "exec", dont_inherit=True), module.__dict__)
    return module


def text_of(value):
    """A value that is no JSON by itself, as text; its class goes beside it."""
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if isinstance(value, (float, decimal.Decimal)):
        return str(value)
    return repr(value)[:200]


PLAIN = {int, str, bool, type(None)}


def plain(column, kinds):
    if kinds <= PLAIN:
        return column
    if kinds - PLAIN == {float} and all(map(math.isfinite, filter(None, column))):
        return column
    keep = (int, str, bool, type(None))
    return [
        value if type(value) in keep or type(value) is float and math.isfinite(value) else text_of(value)
        for value in column
    ]


SMALLEST, LARGEST = -(1 << 63), (1 << 63) - 1


def check_size(column, kinds, name, first):
    """Whole numbers have 64 bits in a table."""
    if int not in kinds or kinds == {int} and SMALLEST <= min(column) and max(column) <= LARGEST:
        return
    for number, value in enumerate(column, first):
        if type(value) is int and not SMALLEST <= value <= LARGEST:
            raise RowError(f"row {number}, column {name!r}: the number does not fit into 64 bits; give it as text")


def tabular(rows, names, first):
    """The columns of some rows, which must all have the same keys in the same order."""
    for number, row in enumerate(rows, first):
        if not isinstance(row, dict):
            raise RowError(f"row {number} is {type(row).__name__}, not a dict")
        if list(row) != names:
            raise RowError(f"row {number} has the keys {list(row)!r}, the first row has {names!r}")
    columns = list(zip(*(row.values() for row in rows)))
    kinds = [set(map(type, column)) for column in columns]
    for column, kind, name in zip(columns, kinds, names):
        check_size(column, kind, name, first)
    return {
        "columns": [plain(column, kind) for column, kind in zip(columns, kinds)],
        "kinds": [sorted(one.__name__ for one in kind) for kind in kinds],
    }


async def send(rows, names, first):
    """Hands rows over; in halves when they are too large together."""
    table = tabular(rows, names, first)
    try:
        await mortise_rows(first=first, names=names, **table)
    except (ToolError, ValueError) as error:
        # The door refuses what is far too large by a ValueError, and the host what is a little too large.
        if len(rows) == 1 or getattr(error, "kind", "arguments") != "arguments":
            raise
        table = None
        half = len(rows) // 2
        await send(rows[:half], names, first)
        await send(rows[half:], names, first + half)


def line_of(error):
    line, trace = None, error.__traceback__
    if isinstance(error, SyntaxError) and error.filename == PARSER:
        return error.lineno
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == PARSER:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def fact(error, name):
    value = getattr(error, name, None)
    return value if value is None or isinstance(value, (int, str)) else repr(value)[:200]


async def main():
    stage, first = "load", 1
    try:
        module = load()
        await mortise_loaded(
            **{name.lower(): value for name in ("TABLE",) if isinstance(value := getattr(module, name, None), str)}
        )
        stage = "parse"
        rows = module.parse(path)
        rows = iter(() if rows is None else rows)
        names = None
        while batch := list(itertools.islice(rows, batch_rows)):
            if names is None:
                names = list(batch[0]) if isinstance(batch[0], dict) else []
                if not all(isinstance(name, str) for name in names):
                    raise RowError(f"the keys of a row must be text, not {names!r}")
            await send(batch, names, first)
            first += len(batch)
        rejected = getattr(module, "REJECTED", None)
        await mortise_done(rows=first - 1, rejected=len(rejected) if isinstance(rejected, list) else 0)
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, ToolError) and error.tool == "mortise_rows":
            raise
        facts = {name: fact(error, name) for name in ("row", "column", "value")}
        await mortise_failed(
            stage=stage,
            type=type(error).__name__,
            bases=[base.__name__ for base in type(error).__mro__],
            message=str(error)[:4096],
            line=line_of(error),
            **{name: value for name, value in facts.items() if value is not None},
        )


await main()
