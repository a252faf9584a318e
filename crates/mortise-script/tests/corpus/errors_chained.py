def parse(text):
    try:
        return int(text)
    except ValueError as e:
        raise TypeError(f"bad number: {text!r}") from e
try:
    parse("12a")
except TypeError as e:
    print(e, "|", e.__cause__, "|", type(e.__cause__).__name__)
try:
    try:
        {}["k"]
    finally:
        1 / 0
except ZeroDivisionError as e:
    print(repr(e), repr(e.__context__))
