"""What the host gets to know about an exception that a program did not catch."""

import traceback
from traceback import format_exception, format_tb
from types import TracebackType

PROGRAM = "<program>"
OWN_CODE = "<mortise>"

# Longer texts are cut in the middle: the start says what was called, the end what went wrong.
LONGEST_TEXT = 8192
LONGEST_CHAIN = 10
MOST_EXCEPTIONS = 100
MOST_LINES = 2000

HINT_AWAIT = "hint: tools are async functions: write `await mcp__server__tool(...)`"


def describe(error, kind="exception"):
    """All that can be said. Exceptions can be made so that they can't be shown; then less is said."""
    if isinstance(error, SystemExit):
        kind = "exit"
    for attempt in (in_full, in_short, by_name):
        try:
            return attempt(error, kind)
        except Exception:
            pass
    return by_name(Exception(), kind)


def in_full(error, kind):
    message = cut(text_of(error))
    if isinstance(error, (TypeError, AttributeError)) and "'coroutine' object" in message:
        error.add_note(HINT_AWAIT)
    tidy(error)
    return {
        "kind": kind,
        "exception": class_name(error),
        "message": message,
        "traceback": cut("".join(format_exception(error)).rstrip("\n")),
        "line": line_of(error),
    }


def in_short(error, kind):
    name, message = class_name(error), cut(text_of(error))
    trace = shown_lines(error.__traceback__)
    lines = ["Traceback (most recent call last):\n", *format_tb(trace), f"{name}: {message}"]
    return {
        "kind": kind,
        "exception": name,
        "message": message,
        "traceback": cut("".join(lines)),
        "line": line_of(error),
    }


def by_name(error, kind):
    name = class_name(error)
    return {"kind": kind, "exception": name, "message": "", "traceback": name, "line": None}


def class_name(error):
    """The name that the class was made with, whatever it claims."""
    return type.__dict__["__name__"].__get__(type(error))


def text_of(error):
    try:
        return str(error)
    except Exception:
        return f"<{class_name(error)} without text>"


def cut(text):
    if len(text) <= LONGEST_TEXT:
        return text
    half = LONGEST_TEXT // 2
    return f"{text[:half]}\n... ({len(text) - 2 * half} characters cut) ...\n{text[-half:]}"


def tidy(error):
    """Leaves only the program's own lines in the tracebacks of an exception, its causes and its parts."""
    todo, visits, chained = [(error, 1)], 0, set()
    while todo:
        error, depth = todo.pop()
        visits += 1
        if visits > MOST_EXCEPTIONS:
            raise ValueError("too many exceptions to show")
        # What a library raised and caught on its way says nothing to the program's author. Only where the
        # exception itself has no line of the program do the others show where it comes from.
        error.__traceback__ = own_lines(error.__traceback__) if depth > 1 else shown_lines(error.__traceback__)
        if depth >= LONGEST_CHAIN:
            error.__cause__ = error.__context__ = None
        elif own_lines(error.__traceback__) and not error.__suppress_context__:
            error.__context__ = raised_by_program(error.__context__)
        for other in (error.__cause__, error.__context__):
            if other is not None and id(other) not in chained:
                chained.add(id(other))
                todo.append((other, depth + 1))
        if isinstance(error, BaseExceptionGroup):
            todo.extend((part, depth + 1) for part in error.exceptions)


def raised_by_program(error):
    """The first of a chain that came by a line of the program: what a library raised and caught itself did not."""
    for _ in range(MOST_EXCEPTIONS):
        if error is None or isinstance(error, BaseExceptionGroup) or own_lines(error.__traceback__):
            break
        error = error.__context__ if error.__cause__ is None else error.__cause__
    return error


def shown_lines(trace):
    """The program's lines; where there are none, all that are not ours."""
    return own_lines(trace) or chosen(trace, lambda frame: not is_ours(frame))


def own_lines(trace):
    """The program's lines."""
    return chosen(trace, lambda frame: frame.f_code.co_filename == PROGRAM)


def chosen(trace, is_wanted):
    entries = []
    while trace is not None:
        if is_wanted(trace.tb_frame):
            entries.append(trace)
        trace = trace.tb_next
    if len(entries) > MOST_LINES:
        entries[MOST_LINES // 2 : -MOST_LINES // 2] = []
    kept = None
    for entry in reversed(entries):
        kept = TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return kept


def is_ours(frame):
    return frame.f_code.co_filename == OWN_CODE


def line_of(error):
    if isinstance(error, SyntaxError) and error.filename == PROGRAM:
        return error.lineno
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == PROGRAM:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def hide_own_frames():
    """Tracebacks that a program prints itself leave our frames out."""
    walk, walk_positions = traceback.walk_tb, traceback._walk_tb_with_full_positions

    def without_ours(walk):
        return lambda trace: ((frame, rest) for frame, rest in walk(trace) if not is_ours(frame))

    traceback.walk_tb = without_ours(walk)
    traceback._walk_tb_with_full_positions = without_ours(walk_positions)


def stuck(task):
    """The exception for a program that waits for what can't happen, at the line where it waits."""
    error = RuntimeError("this await can never finish: no tool call and no timer is pending")
    frames, coroutine = [], task.get_coro()
    while coroutine is not None and getattr(coroutine, "cr_frame", None) is not None:
        frames.append(coroutine.cr_frame)
        coroutine = coroutine.cr_await
    trace = None
    for frame in reversed(frames):
        trace = TracebackType(trace, frame, frame.f_lasti, frame.f_lineno)
    return error.with_traceback(trace)
