"""Values on their way to the host and back: JSON, exactly, or a clear error."""

import collections.abc
import dataclasses
import datetime
import decimal
import enum
import json
import math
import os
import pathlib
import re
import sys
import types
import uuid

# What is not JSON by itself and has no obvious form, with what to do about it.
ADVICE = (
    ((bytes, bytearray, memoryview), "decode() them, or base64-encode them"),
    ((datetime.timedelta,), "use its total_seconds()"),
    ((types.CoroutineType,), "await it first"),
    ((types.GeneratorType, types.AsyncGeneratorType, map, filter, zip), "make a list of it"),
    ((types.FunctionType, types.MethodType, types.BuiltinFunctionType), "call it"),
    ((type,), "make an instance of it"),
)

# Numbers that the encoder can't write itself stand here until the text is made.
numbers = []
mark = os.urandom(8).hex()


def plain(value):
    """What an object is in JSON, one level deep."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is no JSON number")
        numbers.append(str(value))
        return f"{mark}{len(numbers) - 1}"
    if isinstance(value, (uuid.UUID, pathlib.PurePath)):
        return str(value)
    if isinstance(value, (set, frozenset)):
        return in_order(value)
    if isinstance(value, collections.abc.Mapping):
        return dict(value)
    if isinstance(value, (range, collections.deque, collections.abc.KeysView, collections.abc.ValuesView)):
        return list(value)
    if isinstance(value, types.SimpleNamespace):
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
            text = re.sub(f'"{mark}([0-9]+)"', lambda match: numbers[int(match[1])], text)
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
    return json.loads(data)


def decode_wide(data):
    """The same for JSON with numbers that a float or Python's limit on digits would spoil."""
    return without_digit_limit(json.loads, data, parse_float=exact_float)


def exact_float(text):
    number = float(text)
    return number if math.isfinite(number) else decimal.Decimal(text)


def without_digit_limit(function, *args, **kwargs):
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return function(*args, **kwargs)
    finally:
        sys.set_int_max_str_digits(limit)
