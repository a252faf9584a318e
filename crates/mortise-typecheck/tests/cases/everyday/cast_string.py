from typing import cast, TYPE_CHECKING, List, Dict, Any
if TYPE_CHECKING:
    from collections.abc import Sequence
tasks = cast("List[Dict[str, Any]]", (await mcp__board__list_tasks())["tasks"])
for t in tasks:
    t["late"] = t["due"] < "2026-01-03"
print([t["title"] for t in tasks if t["late"]])
def f(xs: "Sequence[Missing]") -> "Missing2 | None":
    return xs[0] if xs else None
print(f([1]))
