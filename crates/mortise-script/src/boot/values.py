"""Values on their way to the host and back: JSON, exactly, or a clear error."""

import collections.abc
import datetime
import decimal
import enum
import json
import math
import os
import pathlib
import sys
import types
import uuid
from dataclasses import fields, is_dataclass
from re import sub as substitute

# What is not JSON by itself and has no obvious form, with what to do about it.
ADVICE = (
    ((bytes, bytearray, memoryview), "decode() them, or base64-encode them"),
    ((datetime.timedelta,), "use its total_seconds()"),
    ((types.CoroutineType,), "await it first"),
    ((types.GeneratorType, types.AsyncGeneratorType, map, filter, zip), "make a list of it"),
    ((types.FunctionType, types.MethodType, types.BuiltinFunctionType), "call it"),
    ((type,), "make an instance of it"),
)

# Taken now: a program may put something else into the place of each.
Decimal, Enum, Mapping, SimpleNamespace = decimal.Decimal, enum.Enum, collections.abc.Mapping, types.SimpleNamespace
TIMES = (datetime.datetime, datetime.date, datetime.time)
TEXTS = (uuid.UUID, pathlib.PurePath)
LISTS = (range, collections.deque, collections.abc.KeysView, collections.abc.ValuesView)
is_finite = math.isfinite
digit_limit, set_digit_limit = sys.get_int_max_str_digits, sys.set_int_max_str_digits

# Numbers that the encoder can't write itself stand here until the text is made.
numbers = []
mark = os.urandom(8).hex()


def plain(value):
    """What an object is in JSON, one level deep."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, TIMES):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is no JSON number")
        numbers.append(str(value))
        return f"{mark}{len(numbers) - 1}"
    if isinstance(value, TEXTS):
        return str(value)
    if isinstance(value, (set, frozenset)):
        return in_order(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, LISTS):
        return list(value)
    if isinstance(value, SimpleNamespace):
        return vars(value)
    name = type(value).__name__
    for kinds, advice in ADVICE:
        if isinstance(value, kinds):
            raise TypeError(f"Object of type {name} is not JSON serializable: {advice}")
    raise TypeError(f"Object of type {name} is not JSON serializable")


def in_order(values):
    """A set as a list, the same every time where its members have an order."""
    try:
        return sorted(values)
    except TypeError:
        return list(values)


write = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=plain).encode


def encode(value, what):
    """The JSON bytes of a value; `what` names it in errors."""
    numbers.clear()
    try:
        try:
            text = write(value)
        except ValueError as error:
            if "digits" not in str(error):
                raise
            text = without_digit_limit(write, value)
        if numbers:
            text = substitute(f'"{mark}([0-9]+)"', lambda match: numbers[int(match[1])], text)
        return text.encode()
    except UnicodeEncodeError as error:
        why = f"a lone surrogate ({error.object[error.start]!a}) is no character"
    except RecursionError:
        why = "it nests too deeply"
    except (TypeError, ValueError) as error:
        where = [note for note in getattr(error, "__notes__", ()) if note.startswith("when serializing")]
        why = ", ".join([str(error), *where[:4]])
    raise TypeError(f"{what} must be JSON-serializable: {why}") from None


def decode(data):
    """The value of JSON bytes."""
    return read_json(data.decode())


def decode_wide(data):
    """The same for JSON with numbers that a float or Python's limit on digits would spoil."""
    return without_digit_limit(read_wide_json, data.decode())


def exact_float(text):
    number = float(text)
    return number if is_finite(number) else Decimal(text)


read_wide_json = json.JSONDecoder(parse_float=exact_float).decode


def without_digit_limit(function, value):
    limit = digit_limit()
    set_digit_limit(0)
    try:
        return function(value)
    finally:
        set_digit_limit(limit)
