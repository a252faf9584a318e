"""Operations of the host. `host` is the door itself, given by the loader.

A program may replace whatever it can reach: functions of modules, even builtins. The loader gives this code builtins
of its own, and what it needs of modules it takes now and keeps.
"""

import json

write_report = json.JSONEncoder().encode
read_json = json.JSONDecoder().decode


def ask(operation, target="", body=None, timeout=None):
    """One operation: its status, the labelled lengths, the bytes."""
    return host(operation, target, (), body, timeout)


def start_message():
    """The program and its names. The host gives it once."""
    return read_json(ask("start")[2].decode())


def report_end(error):
    """Says how the program ended. Only the first word counts."""
    try:
        body = write_report({"error": error}).encode()
    except MemoryError:
        body = OUT_OF_MEMORY
    ask("end", "", body)


def report_unknown_end():
    """The same when not even that works any more."""
    ask("end", "", OUT_OF_WORDS)


def leave():
    """Does not return: the host stops the interpreter here."""
    ask("leave")


def bare_report(exception):
    error = {"kind": "exception", "exception": exception, "message": "", "traceback": exception, "line": None}
    return write_report({"error": error}).encode()


# Made beforehand, since there may be no memory to make it when it is needed.
OUT_OF_MEMORY = bare_report("MemoryError")
OUT_OF_WORDS = bare_report("SystemError")
