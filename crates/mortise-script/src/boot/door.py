"""Operations of the host. `host` is the door itself, given by the loader."""

import json


def ask(operation, target="", body=None, timeout=None):
    """One operation: its status, the labelled lengths, the bytes."""
    return host(operation, target, (), body, timeout)


def start_message():
    """The program and its names. The host gives it once."""
    return json.loads(ask("start")[2])


def report_end(error):
    """Says how the program ended. Only the first word counts."""
    try:
        body = json.dumps({"error": error}, ensure_ascii=True).encode()
    except MemoryError:
        body = OUT_OF_MEMORY
    ask("end", "", body)


def leave():
    """Does not return: the host stops the interpreter here."""
    ask("leave")


# Made beforehand, since there may be no memory to make it when it is needed.
OUT_OF_MEMORY = json.dumps(
    {
        "error": {
            "kind": "exception",
            "exception": "MemoryError",
            "message": "",
            "traceback": "MemoryError",
            "line": None,
        }
    }
).encode()
