from typing import TypeVar, Generic, Callable, Awaitable, Iterable
T = TypeVar("T")
async def paginate(fn: Callable[..., Awaitable[dict]], key: str) -> list[dict]:
    page = await fn()
    return list(page[key])
print(len(await paginate(mcp__inventory__list_orders, "orders")))
def group_by(xs: Iterable[T], key: Callable[[T], str]) -> dict[str, list[T]]:
    out: dict[str, list[T]] = {}
    for x in xs:
        out.setdefault(key(x), []).append(x)
    return out
g = group_by((await mcp__inventory__list_products())["products"], lambda p: p["category"])
for k, v in g.items():
    print(k, v[0]["name"])
def first[U](xs: list[U]) -> U:
    return xs[0]
print(first((await mcp__inventory__list_products())["products"])["id"])
