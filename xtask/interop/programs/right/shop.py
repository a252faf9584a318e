"""Right programs over pydantic models: nested, optional, unions, maps, dates, pages."""

#: names and countries
customers = await mcp__shop__list_customers()
print([(customer["name"], customer["country"]) for customer in customers])

#: only one country
print([customer["id"] for customer in await mcp__shop__list_customers(country="NO")])

#: a missing address is handled
for customer in await mcp__shop__list_customers():
    address = customer["address"]
    print(customer["name"], address["city"] if address else "unknown")

#: an optional key inside an optional object
for customer in await mcp__shop__list_customers():
    if (address := customer["address"]) is not None:
        print(address["city"], address.get("postcode") or "no postcode")

#: mail addresses that are there
mails = [customer["email"] for customer in await mcp__shop__list_customers() if customer["email"]]
print(sorted(mail.split("@")[0] for mail in mails))

#: customers by their first tag
from collections import defaultdict
tagged = defaultdict(list)
for customer in await mcp__shop__list_customers():
    for tag in customer["tags"] or ["none"]:
        tagged[tag].append(customer["name"])
print(dict(sorted(tagged.items())))

#: the newest customer by date
from datetime import date
customers = await mcp__shop__list_customers()
newest = max(customers, key=lambda customer: date.fromisoformat(customer["joined"]))
print(newest["name"], newest["joined"])

#: years since joining
from datetime import date
today = date(2025, 6, 1)
for customer in await mcp__shop__list_customers():
    print(customer["name"], (today - date.fromisoformat(customer["joined"])).days // 365)

#: one customer by id
customer = await mcp__shop__get_customer(customer_id=3)
print(customer["name"], len(customer["tags"]), customer["address"] is None)

#: a customer who is not there
try:
    await mcp__shop__get_customer(customer_id=99)
except ToolError as error:
    print(error.message)

#: all pages of orders
orders, page = [], 1
while page is not None:
    answer = await mcp__shop__list_orders(page=page, size=5)
    orders.extend(answer["items"])
    page = answer["next_page"]
print(len(orders), answer["total"], [order["id"] for order in orders][-1])

#: all pages through a generator
async def every_order(size: int = 4):
    page = 1
    while True:
        answer = await mcp__shop__list_orders(page=page, size=size)
        for order in answer["items"]:
            yield order
        if answer["next_page"] is None:
            return
        page = answer["next_page"]

print([order["status"] async for order in every_order()].count("paid"))

#: orders by status
from collections import Counter
answer = await mcp__shop__list_orders(size=50)
print(Counter(order["status"] for order in answer["items"]))

#: one status only
answer = await mcp__shop__list_orders(status="shipped", size=50)
print({order["status"] for order in answer["items"]}, answer["total"])

#: the worth of an order, line by line
order = await mcp__shop__get_order(order_id="O4")
for line in order["lines"]:
    print(line["sku"], line["quantity"], "×", line["price"])
print(sum(line["quantity"] * line["price"] for line in order["lines"]))

#: our sum against the server's
async def ours(order_id: str) -> float:
    order = await mcp__shop__get_order(order_id=order_id)
    return sum(line["quantity"] * line["price"] for line in order["lines"]) - (order["discount"] or 0)

for order_id in ("O1", "O6", "O11"):
    print(order_id, await ours(order_id) == await mcp__shop__order_total(order_id=order_id))

#: totals at once
import asyncio
ids = [f"O{number}" for number in range(1, 6)]
totals = await asyncio.gather(*(mcp__shop__order_total(order_id=order_id) for order_id in ids))
print(dict(zip(ids, totals)), round(sum(totals), 2))

#: an optional discount
answer = await mcp__shop__list_orders(size=50)
print([(order["id"], order["discount"]) for order in answer["items"] if order["discount"] is not None])

#: notes, or a dash
answer = await mcp__shop__list_orders(size=4)
print([order["note"] or "-" for order in answer["items"]])

#: orders of each customer by name
import asyncio
customers, answer = await asyncio.gather(mcp__shop__list_customers(), mcp__shop__list_orders(size=50))
names = {customer["id"]: customer["name"] for customer in customers}
counts = {name: 0 for name in names.values()}
for order in answer["items"]:
    counts[names[order["customer_id"]]] += 1
print(counts)

#: revenue by country
import asyncio
customers, answer = await asyncio.gather(mcp__shop__list_customers(), mcp__shop__list_orders(size=50))
country = {customer["id"]: customer["country"] for customer in customers}
revenue = {}
for order in answer["items"]:
    worth = sum(line["quantity"] * line["price"] for line in order["lines"])
    revenue[country[order["customer_id"]]] = revenue.get(country[order["customer_id"]], 0.0) + worth
for key in sorted(revenue, key=revenue.get, reverse=True):
    print(key, f"{revenue[key]:,.2f}")

#: hours between orders
from datetime import datetime
answer = await mcp__shop__list_orders(size=3)
moments = [datetime.fromisoformat(order["placed"].replace("Z", "+00:00")) for order in answer["items"]]
print([str(later - earlier) for earlier, later in zip(moments, moments[1:])])

#: orders by day
from itertools import groupby
answer = await mcp__shop__list_orders(size=50)
for day, group in groupby(answer["items"], key=lambda order: order["placed"][:10]):
    print(day, len(list(group)))

#: what is out of stock
stock = await mcp__shop__stock()
print([sku for sku, pieces in stock.items() if not pieces], sum(stock.values()))

#: stock looked up by key
stock = await mcp__shop__stock()
for sku in ("P1", "P9"):
    print(sku, stock.get(sku, "unknown"))

#: the fullest shelf
stock = await mcp__shop__stock()
print(max(stock, key=lambda sku: stock[sku]), min(stock.values()))

#: products by price
products = await mcp__shop__list_products()
for product in sorted(products, key=lambda product: product["price"], reverse=True)[:2]:
    print(f'{product["name"]} {product["price"]:.2f}')

#: the volume of each product
for product in await mcp__shop__list_products():
    length, width, height = product["size"]
    print(product["sku"], length * width * height)

#: attributes of different types
for product in await mcp__shop__list_products():
    for key, value in sorted(product["attributes"].items()):
        match value:
            case bool():
                print(key, "yes" if value else "no")
            case int():
                print(key, value + 0)
            case str():
                print(key, value.upper())

#: the path of a category
def path(category):
    names = []
    while category is not None:
        names.insert(0, category["name"])
        category = category["parent"]
    return " > ".join(names)

print({product["sku"]: path(product["category"]) for product in await mcp__shop__list_products()})

#: products that have some attribute
products = await mcp__shop__list_products()
print([product["sku"] for product in products if "teeth" in product["attributes"]])

#: what it costs to fill the shelves
import asyncio
products, stock = await asyncio.gather(mcp__shop__list_products(), mcp__shop__stock())
print(sum(product["price"] * max(0, 5 - stock[product["sku"]]) for product in products))

#: payments told apart by kind
for payment in await mcp__shop__payments(order_id="O3"):
    if payment["kind"] == "card":
        print("card", payment["last_four"], payment["amount"])
    else:
        print("transfer", payment["reference"], payment["amount"])

#: paid in full
payments = await mcp__shop__payments(order_id="O6")
total = await mcp__shop__order_total(order_id="O6")
print(abs(sum(payment["amount"] for payment in payments) - total) < 0.01, len(payments))

#: card payments over all orders
import asyncio
answer = await mcp__shop__list_orders(size=50)
paid = await asyncio.gather(*(mcp__shop__payments(order_id=order["id"]) for order in answer["items"]))
print(sum(1 for payments in paid for payment in payments if payment["kind"] == "card"))

#: two quotes compared
import asyncio
slow, fast = await asyncio.gather(
    mcp__shop__quote_shipping(order_id="O1"), mcp__shop__quote_shipping(order_id="O1", express=True)
)
print(slow["arrives"], fast["arrives"], round(fast["cost"] - slow["cost"], 2))

#: days until a parcel arrives
from datetime import date
order, quote = await mcp__shop__get_order(order_id="O2"), await mcp__shop__quote_shipping(order_id="O2")
print((date.fromisoformat(quote["arrives"]) - date.fromisoformat(order["placed"][:10])).days)

#: a report by day
report = await mcp__shop__sales_report(days=4)
for day, totals in sorted(report["by_day"].items()):
    print(day, totals["orders"], f"{totals['revenue']:.2f}")

#: the best day, if any
for days in (0, 3):
    best = (await mcp__shop__sales_report(days=days))["best"]
    print(best["revenue"] if best else "no sales")

#: the range of a report
from datetime import date
first, last = (await mcp__shop__sales_report(days=10))["range"]
print((date.fromisoformat(last) - date.fromisoformat(first)).days)

#: average order value from a report
report = await mcp__shop__sales_report(days=31)
orders = sum(day["orders"] for day in report["by_day"].values())
revenue = sum(day["revenue"] for day in report["by_day"].values())
print(orders, round(revenue / orders, 2))

#: hits of both kinds
hits = await mcp__shop__find(query="a", limit=10)
print([(hit["kind"], hit["key"]) for hit in hits])

#: the best hit, or nothing
async def best(query):
    hits = await mcp__shop__find(query=query)
    return max(hits, key=lambda hit: hit["score"])["key"] if hits else None

print(await best("saw"), await best("zz"))

#: keys that are texts or numbers
hits = await mcp__shop__find(query="a")
print([hit["key"] if isinstance(hit["key"], str) else f"#{hit['key']}" for hit in hits])

#: the currency in a format
currency = await mcp__shop__currency()
print(f"{await mcp__shop__order_total(order_id='O1'):.2f} {currency.lower()}")

#: dataclasses built from models
from dataclasses import dataclass, replace

@dataclass(frozen=True)
class Item:
    sku: str
    pieces: int

stock = await mcp__shop__stock()
items = [Item(sku, pieces) for sku, pieces in stock.items()]
print(replace(items[1], pieces=6), sorted(items, key=lambda item: item.pieces)[0])

#: an enum of ours
from enum import Enum

class Stage(str, Enum):
    OPEN = "open"
    PAID = "paid"

answer = await mcp__shop__list_orders(status=Stage.PAID.value)
print(all(Stage(order["status"]) is Stage.PAID for order in answer["items"]))

#: a heap of the dearest orders
import asyncio, heapq
ids = [f"O{number}" for number in range(1, 13)]
totals = await asyncio.gather(*(mcp__shop__order_total(order_id=order_id) for order_id in ids))
print(heapq.nlargest(3, zip(totals, ids)))

#: JSON with sorted keys
import json
quote = await mcp__shop__quote_shipping(order_id="O5")
print(json.dumps(quote, sort_keys=True, indent=2))

#: a typed helper over a list of models
async def with_mail(customers: list[dict]) -> list[str]:
    return [f"{customer['name']} <{customer['email']}>" for customer in customers if customer["email"] is not None]

print(await with_mail(await mcp__shop__list_customers()))

#: errors collected, answers kept
found, missing = [], []
for order_id in ("O1", "O99", "O2"):
    try:
        found.append((await mcp__shop__get_order(order_id=order_id))["id"])
    except ToolError as error:
        missing.append(error.message)
print(found, missing)

#: two sets of skus
import asyncio
stock, answer = await asyncio.gather(mcp__shop__stock(), mcp__shop__list_orders(size=50))
ordered = {line["sku"] for order in answer["items"] for line in order["lines"]}
print(sorted(ordered & stock.keys()), sorted(ordered - stock.keys()))

#: running totals
from itertools import accumulate
answer = await mcp__shop__list_orders(size=4)
totals = [await mcp__shop__order_total(order_id=order["id"]) for order in answer["items"]]
print([round(total, 2) for total in accumulate(totals)])

#: a cache in front of calls
cache = {}

async def customer(customer_id):
    if customer_id not in cache:
        cache[customer_id] = await mcp__shop__get_customer(customer_id=customer_id)
    return cache[customer_id]

answer = await mcp__shop__list_orders(size=8)
print([(await customer(order["customer_id"]))["name"] for order in answer["items"]], len(cache))

#: a matrix of customers and statuses
answer = await mcp__shop__list_orders(size=50)
statuses = ["open", "paid", "shipped", "returned"]
print("id", *statuses)
for customer_id in sorted({order["customer_id"] for order in answer["items"]}):
    row = [sum(order["customer_id"] == customer_id and order["status"] == status for order in answer["items"]) for status in statuses]
    print(customer_id, *row)

#: a markdown table
products = await mcp__shop__list_products()
lines = ["| sku | name | price |", "| --- | --- | ---: |"]
lines += [f"| {product['sku']} | {product['name']} | {product['price']:.2f} |" for product in products]
print("\n".join(lines))
