# Joins customers, products and orders of one server, all pages read, and sums by country.
import asyncio
from collections import defaultdict


async def all_orders():
    cursor = None
    while True:
        arguments = {"limit": 25} | ({"cursor": cursor} if cursor else {})
        page = await mcp__inventory__list_orders(**arguments)
        for order in page["orders"]:
            yield order
        cursor = page.get("next_cursor")
        if not cursor:
            return


customers = {c["id"]: c for c in (await mcp__inventory__list_customers())["customers"]}
total = defaultdict(int)
count = defaultdict(int)
async for order in all_orders():
    if order["status"] == "cancelled":
        continue
    country = customers[order["customer_id"]]["country"]
    total[country] += order["total_cents"]
    count[country] += 1

for country in sorted(total, key=total.get, reverse=True):
    print(f"{country:<14}{count[country]:>4} orders{total[country] / 100:>12,.2f}")
