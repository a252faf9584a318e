from typing import Protocol, Self
import asyncio

type Rows = list[dict[str, object]]

def first[T](xs: list[T], default: T | None = None) -> T | None:
    return xs[0] if xs else default

class Stack[T]:
    def __init__(self) -> None:
        self._items: list[T] = []
    def push(self, item: T) -> Self:
        self._items.append(item)
        return self
    def pop(self) -> T:
        return self._items.pop()
    def __len__(self):
        return len(self._items)

class Named(Protocol):
    name: str

tickers = (await mcp__financial_data__list_tickers())["tickers"]
s = Stack()
for t in tickers:
    s.push(t)
top = s.pop()
print(top["ticker"], top["sector"], len(s))
f = first(tickers)
if f:
    print(f["name"])
empty = first([], {"name": "none"})
print(empty["name"])
sectors = {}
for t in tickers:
    sectors.setdefault(t["sector"], set()).add(t["ticker"])
print({k: sorted(v) for k, v in sorted(sectors.items())})
