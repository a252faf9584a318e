from dataclasses import dataclass, field, asdict
from decimal import Decimal
from typing import Optional
import json

@dataclass
class Line:
    product_id: str
    quantity: int
    unit: Decimal = Decimal("0")

    @property
    def total(self) -> Decimal:
        return self.unit * self.quantity

@dataclass
class Order:
    id: str
    customer: str
    lines: list[Line] = field(default_factory=list)
    note: Optional[str] = None

    def total(self):
        return sum((l.total for l in self.lines), Decimal(0))

products = {p["id"]: p for p in (await mcp__inventory__list_products())["products"]}
customers = {c["id"]: c["name"] for c in (await mcp__inventory__list_customers())["customers"]}
page = await mcp__inventory__list_orders(limit=20)
orders = []
for raw in page["orders"]:
    order = Order(id=raw["id"], customer=customers.get(raw["customer_id"], "?"))
    for item in raw["items"]:
        price = Decimal(products[item["product_id"]]["price_cents"]) / 100
        order.lines.append(Line(**item, unit=price))
    orders.append(order)
orders.sort(key=lambda o: o.total(), reverse=True)
for o in orders[:3]:
    print(o.id, o.customer, f"{o.total():.2f}")
print(json.dumps(asdict(orders[0]), default=str, indent=2)[:200])
