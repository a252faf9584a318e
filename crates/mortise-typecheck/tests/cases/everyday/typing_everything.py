from __future__ import annotations
from typing import Any, Awaitable, Callable, Iterable, Iterator, Literal, Mapping, Optional, Sequence, TypeVar, Union, TypedDict, Dict, List, Tuple
import asyncio

T = TypeVar("T")
K = TypeVar("K")
Json = Union[None, bool, int, float, str, List["Json"], Dict[str, "Json"]]

class Ticket(TypedDict):
    id: str
    title: str
    labels: List[str]

def group_by(items: Iterable[T], key: Callable[[T], K]) -> Dict[K, List[T]]:
    out: Dict[K, List[T]] = {}
    for item in items:
        out.setdefault(key(item), []).append(item)
    return out

async def fetch(status: Literal["open", "closed"] = "open", limit: Optional[int] = None) -> List[Ticket]:
    page: Dict[str, Any] = await mcp__tickets__list_tickets(status=status, limit=limit)
    return page["tickets"]

async def gather_map(fn: Callable[[str], Awaitable[T]], xs: Sequence[str]) -> Dict[str, T]:
    values = await asyncio.gather(*(fn(x) for x in xs))
    return dict(zip(xs, values))

found: Dict[str, List[Ticket]] = await gather_map(fetch, ["open", "closed"])
for status, tickets in found.items():
    groups = group_by(tickets, lambda t: t["labels"][0] if t["labels"] else "none")
    for label, ts in sorted(groups.items()):
        print(status, label, len(ts), ts[0]["title"])
def flat(m: Mapping[str, Sequence[T]]) -> Iterator[Tuple[str, T]]:
    for k, vs in m.items():
        for v in vs:
            yield k, v
print(sum(1 for _ in flat(found)))
