from typing import Any, Generic, Optional, Protocol, TypeVar, TypedDict, Union, Callable, Iterable, Literal
T = TypeVar("T")
class Stack(Generic[T]):
    def __init__(self) -> None:
        self._items: list[T] = []
    def push(self, item: T) -> "Stack[T]":
        self._items.append(item)
        return self
    def pop(self) -> Optional[T]:
        return self._items.pop() if self._items else None
class Named(Protocol):
    name: str
class Product(TypedDict, total=False):
    sku: str
    price: float
def total(products: Iterable[Product], f: Callable[[float], float] = lambda x: x) -> float:
    return sum(f(p["price"]) for p in products)
def first(items: list[T] | None) -> T | None:
    return items[0] if items else None
s: Stack[int] = Stack[int]().push(1).push(2)
rows: list[Product] = await mcp__shop__products(category="paper")
print(s.pop(), s.pop(), s.pop(), round(total(rows), 2), total(rows, round), first(rows)["sku"], first(None))
