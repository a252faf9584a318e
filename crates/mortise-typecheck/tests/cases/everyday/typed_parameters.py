from typing import Any, Optional, Iterable, TypedDict
def total(orders: list[dict[str, Any]], status: Optional[str] = None) -> int:
    return sum(o["total_cents"] for o in orders if status is None or o["status"] == status)
def names(items: Iterable[dict]) -> list[str]:
    return [i["name"] for i in items]
class Sum(TypedDict):
    name: str
    total: int
orders = (await mcp__inventory__list_orders())["orders"]
print(total(orders), total(orders, "shipped"), names((await mcp__inventory__list_customers())["customers"]))
s: Sum = {"name": "x", "total": total(orders)}
print(s["total"])
def row(o: dict) -> dict:
    o["extra"] = 1
    return o
print(row(orders[0])["extra"])
