"""Programs with one mistake each: awaiting, names, types and syntax."""

#: a call that is not awaited
weather = mcp__everything__get_structured_content(location="Chicago")
print(weather["temperature"])

#: a call that is not awaited, in a loop
for city in ("Chicago", "New York"):
    print(mcp__everything__get_structured_content(location=city)["temperature"])

#: await in a function that is not asynchronous
def weather(city):
    return await mcp__everything__get_structured_content(location=city)

print(weather("Chicago"))

#: a coroutine of our own that is not awaited
async def temperature(city):
    return (await mcp__everything__get_structured_content(location=city))["temperature"]

print(temperature("Chicago") + 1)

#: gather that is not awaited
import asyncio
results = asyncio.gather(mcp__shop__currency(), mcp__shop__stock())
print(results[0])

#: a name that was never set
customers = await mcp__shop__list_customers()
print(len(customer))

#: a misspelt variable
readings = await mcp__fastmcp__readings(count=2)
print(len(reading))

#: a module that was not imported
results = await asyncio.gather(mcp__shop__currency())
print(results)

#: a module that programs do not have
import pandas as pd
print(pd.DataFrame(await mcp__shop__list_customers()))

#: a module that is not in the standard library
import requests
print(requests.get("http://localhost"))

#: a name that a module does not have
from datetime import today
print(today())

#: a function that a module does not have
import math
print(math.round(await mcp__shop__order_total(order_id="O1")))

#: a missing parenthesis
weather = await mcp__everything__get_structured_content(location="Chicago"
print(weather)

#: a missing colon
for city in ("Chicago", "New York")
    print(city)

#: a body that is not indented
async def main():
print(await mcp__shop__currency())

#: text plus number
total = await mcp__shop__order_total(order_id="O1")
print("total: " + total)

#: text plus an integer of a model
customer = await mcp__shop__get_customer(customer_id=1)
print("customer " + customer["id"])

#: arithmetic on a date that is a text
order = await mcp__shop__get_order(order_id="O1")
quote = await mcp__shop__quote_shipping(order_id="O1")
print(quote["arrives"] - order["placed"])

#: a division of a text
weather = await mcp__everything__get_structured_content(location="Chicago")
print(weather["conditions"] / 2)

#: the sum of texts
customers = await mcp__shop__list_customers()
print(sum(customer["name"] for customer in customers))

#: a sort whose result is None
customers = await mcp__shop__list_customers()
ordered = customers.sort(key=lambda customer: customer["name"])
print(ordered[0])

#: a helper that returns nothing
def cheapest(products):
    min(products, key=lambda product: product["price"])

print(cheapest(await mcp__shop__list_products())["name"])

#: a helper called with too few arguments
def label(name, country):
    return f"{name} ({country})"

for customer in await mcp__shop__list_customers():
    print(label(customer["name"]))

#: a helper called with a wrong keyword
async def total(order_id):
    return await mcp__shop__order_total(order_id=order_id)

print(await total(order="O1"))

#: a method that texts do not have
currency = await mcp__shop__currency()
print(currency.uppercase())

#: a method that lists do not have
customers = await mcp__shop__list_customers()
print(customers.first())

#: a text compared with a number
weather = await mcp__everything__get_structured_content(location="Chicago")
print(weather["conditions"] > 20)

#: a list compared with a number
readings = await mcp__fastmcp__readings(count=2)
print(readings > 1)

#: None that may come is used
answer = await mcp__python_sdk__maybe(give=False)
print(answer.upper())

#: a number that is called
total = await mcp__fastmcp__total(values=[1])
print(total())

#: a number that is iterated
for value in await mcp__fastmcp__total(values=[1, 2]):
    print(value)

#: a number that is sliced
total = await mcp__shop__order_total(order_id="O1")
print(total[:2])

#: a dict method on an integer of a map
stock = await mcp__shop__stock()
print([pieces["count"] for pieces in stock.values()])

#: a map read with a number
stock = await mcp__shop__stock()
print(stock[0])

#: an exception class that does not exist
try:
    print(await mcp__shop__currency())
except MCPError as error:
    print(error)

#: a misspelt field of an error
try:
    await mcp__fastmcp__refuses(reason="no")
except ToolError as error:
    print(error.msg)

#: a variable used after it was deleted
currency = await mcp__shop__currency()
del currency
print(currency)

#: a dataclass without one of its fields
from dataclasses import dataclass

@dataclass
class Item:
    sku: str
    pieces: int

stock = await mcp__shop__stock()
print([Item(sku=sku) for sku in stock])
