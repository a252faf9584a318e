"""Standard streams. Output is not buffered here: what was printed before a limit strikes is not lost."""

import builtins
import io
import sys


def open_streams():
    sys.stdout = sys.__stdout__ = unbuffered(1, "strict")
    sys.stderr = sys.__stderr__ = unbuffered(2, "backslashreplace")
    builtins.input = no_input


def unbuffered(descriptor, errors):
    raw = io.FileIO(descriptor, "w", closefd=False)
    stream = io.TextIOWrapper(raw, encoding="utf-8", errors=errors, newline="\n", write_through=True)
    stream.mode = "w"
    raw.name = ("<stdin>", "<stdout>", "<stderr>")[descriptor]
    return stream


def no_input(prompt="", /):
    raise EOFError("input() has nothing to read: nobody is there to answer. Put the values into the program.")
