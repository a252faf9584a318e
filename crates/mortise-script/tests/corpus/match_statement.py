from dataclasses import dataclass
@dataclass
class Move:
    dx: int
    dy: int
def describe(command):
    match command:
        case {"type": "order", "items": [first, *rest]}:
            return f"order of {first} and {len(rest)} more"
        case {"type": "order"}:
            return "empty order"
        case Move(dx=0, dy=0):
            return "stay"
        case Move(dx, dy) if abs(dx) == abs(dy):
            return f"diagonal {dx},{dy}"
        case [("add" | "sub") as op, int(a), int(b)]:
            return a + b if op == "add" else a - b
        case str() | bytes():
            return "text"
        case None:
            return "nothing"
        case _:
            return f"unknown {command!r}"
for c in ({"type": "order", "items": ["pen", "desk", "lamp"]}, {"type": "order", "items": []}, Move(0, 0), Move(2, -2), Move(1, 2),
          ["add", 2, 3], ["sub", 2, 3], ["mul", 1, 1], "x", None, 3.5):
    print(describe(c))
