"""A server made with FastMCP whose results are pydantic models: nested, optional, unions, maps, dates, pages.

Usage: shop_server.py
"""

from datetime import date, datetime, timedelta, timezone
from enum import Enum
from typing import Annotated, Literal

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from pydantic import BaseModel, Field

server = FastMCP("shop")


class Status(str, Enum):
    open = "open"
    paid = "paid"
    shipped = "shipped"
    returned = "returned"


class Address(BaseModel):
    street: str
    city: str
    postcode: str | None = None


class Customer(BaseModel):
    id: int
    name: str
    email: str | None
    country: Literal["DE", "NO", "JP"]
    joined: date
    tags: list[str]
    address: Address | None


class Line(BaseModel):
    sku: str
    quantity: Annotated[int, Field(ge=1)]
    price: float


class Order(BaseModel):
    id: str
    customer_id: int
    status: Status
    placed: datetime
    lines: list[Line]
    discount: float | None
    note: str | None


class OrderPage(BaseModel):
    items: list[Order]
    page: int
    total: int
    next_page: int | None


class Category(BaseModel):
    name: str
    parent: "Category | None"


class Product(BaseModel):
    sku: str
    name: str
    price: float
    size: tuple[float, float, float]
    attributes: dict[str, str | int | bool]
    category: Category


class Card(BaseModel):
    kind: Literal["card"] = "card"
    amount: float
    last_four: str


class Transfer(BaseModel):
    kind: Literal["transfer"] = "transfer"
    amount: float
    reference: str


class Shipment(BaseModel):
    order_id: str
    carrier: str
    arrives: date
    cost: float


class DayTotal(BaseModel):
    orders: int
    revenue: float


class Report(BaseModel):
    by_day: dict[str, DayTotal]
    best: DayTotal | None
    range: tuple[date, date]


class Hit(BaseModel):
    kind: Literal["product", "customer"]
    key: str | int
    score: float


TOOLS = Category(name="tools", parent=None)
SAWS = Category(name="saws", parent=TOOLS)
PRODUCTS = [
    Product(sku="P1", name="Dovetail saw", price=64.5, size=(38, 9, 3), attributes={"teeth": 15, "rip": True}, category=SAWS),
    Product(sku="P2", name="Mallet", price=27.25, size=(30, 12, 8), attributes={"wood": "beech"}, category=TOOLS),
    Product(sku="P3", name="Marking gauge", price=41.0, size=(22, 6, 6), attributes={"wheel": True, "brand": "Hammesfahr"}, category=TOOLS),
    Product(sku="P4", name="Ryoba", price=58.75, size=(62, 11, 2), attributes={"teeth": 17, "rip": False}, category=SAWS),
]
CUSTOMERS = [
    Customer(id=1, name="Ada", email="ada@example.com", country="DE", joined=date(2023, 3, 1), tags=["early", "trade"], address=Address(street="Gasse 1", city="Kiel", postcode="24103")),
    Customer(id=2, name="Bo", email=None, country="NO", joined=date(2024, 7, 15), tags=[], address=Address(street="Vei 4", city="Oslo")),
    Customer(id=3, name="Chie", email="chie@example.com", country="JP", joined=date(2022, 11, 30), tags=["trade"], address=None),
    Customer(id=4, name="Dag", email="dag@example.com", country="NO", joined=date(2025, 1, 9), tags=["late"], address=Address(street="Gate 9", city="Bergen", postcode="5003")),
]


def orders():
    start = datetime(2025, 2, 1, 9, 30, tzinfo=timezone.utc)
    for index in range(12):
        product, other = PRODUCTS[index % 4], PRODUCTS[(index + 1) % 4]
        lines = [Line(sku=product.sku, quantity=1 + index % 3, price=product.price)]
        if index % 2:
            lines.append(Line(sku=other.sku, quantity=2, price=other.price))
        yield Order(
            id=f"O{index + 1}",
            customer_id=1 + index % 4,
            status=list(Status)[index % 4],
            placed=start + timedelta(hours=7 * index),
            lines=lines,
            discount=5.0 if index % 5 == 0 else None,
            note="leave at the door" if index == 3 else None,
        )


ORDERS = list(orders())


def order(order_id):
    for known in ORDERS:
        if known.id == order_id:
            return known
    raise ToolError(f"there is no order {order_id}")


def worth(known):
    return sum(line.quantity * line.price for line in known.lines) - (known.discount or 0)


@server.tool(annotations={"readOnlyHint": True})
def list_customers(country: Literal["DE", "NO", "JP"] | None = None) -> list[Customer]:
    """All customers, or those of one country."""
    return [known for known in CUSTOMERS if country in (None, known.country)]


@server.tool(annotations={"readOnlyHint": True})
def get_customer(customer_id: int) -> Customer:
    """One customer."""
    for known in CUSTOMERS:
        if known.id == customer_id:
            return known
    raise ToolError(f"there is no customer {customer_id}")


@server.tool(annotations={"readOnlyHint": True})
def list_orders(status: Status | None = None, page: int = 1, size: Annotated[int, Field(ge=1, le=50)] = 5) -> OrderPage:
    """A page of orders, oldest first."""
    found = [known for known in ORDERS if status in (None, known.status)]
    items = found[(page - 1) * size : page * size]
    return OrderPage(items=items, page=page, total=len(found), next_page=page + 1 if page * size < len(found) else None)


@server.tool(annotations={"readOnlyHint": True})
def get_order(order_id: str) -> Order:
    """One order."""
    return order(order_id)


@server.tool(annotations={"readOnlyHint": True})
def order_total(order_id: str) -> float:
    """What an order costs."""
    return worth(order(order_id))


@server.tool(annotations={"readOnlyHint": True})
def stock() -> dict[str, int]:
    """How many pieces there are, by stock keeping unit."""
    return {"P1": 4, "P2": 0, "P3": 11, "P4": 2}


@server.tool(annotations={"readOnlyHint": True})
def list_products() -> list[Product]:
    """All products."""
    return PRODUCTS


@server.tool(annotations={"readOnlyHint": True})
def payments(order_id: str) -> list[Card | Transfer]:
    """How an order was paid."""
    total = worth(order(order_id))
    if int(order_id[1:]) % 3 == 0:
        return [Card(amount=total / 2, last_four="4242"), Transfer(amount=total / 2, reference=f"{order_id}-2")]
    return [Transfer(amount=total, reference=order_id)]


@server.tool(annotations={"readOnlyHint": True})
def quote_shipping(order_id: str, express: bool = False) -> Shipment:
    """What sending an order would cost, and when it would arrive."""
    known = order(order_id)
    days = 1 if express else 4
    return Shipment(order_id=order_id, carrier="Post", arrives=known.placed.date() + timedelta(days=days), cost=19.9 if express else 4.9)


@server.tool(annotations={"readOnlyHint": True})
def sales_report(days: Annotated[int, Field(ge=0, le=31)]) -> Report:
    """Sales by day."""
    first = date(2025, 2, 1)
    by_day = {}
    for offset in range(days):
        day = first + timedelta(days=offset)
        of_day = [known for known in ORDERS if known.placed.date() == day]
        if of_day:
            by_day[day.isoformat()] = DayTotal(orders=len(of_day), revenue=sum(map(worth, of_day)))
    best = max(by_day.values(), key=lambda total: total.revenue, default=None)
    return Report(by_day=by_day, best=best, range=(first, first + timedelta(days=max(days - 1, 0))))


@server.tool(annotations={"readOnlyHint": True})
def find(query: str, limit: Annotated[int, Field(ge=1, le=10)] = 5) -> list[Hit]:
    """Products and customers whose name contains some text."""
    hits = [Hit(kind="product", key=known.sku, score=len(query) / len(known.name)) for known in PRODUCTS if query.lower() in known.name.lower()]
    hits += [Hit(kind="customer", key=known.id, score=len(query) / len(known.name)) for known in CUSTOMERS if query.lower() in known.name.lower()]
    return hits[:limit]


@server.tool(annotations={"readOnlyHint": True})
def currency() -> str:
    """The currency of all prices."""
    return "EUR"


server.run(transport="stdio", show_banner=False)
