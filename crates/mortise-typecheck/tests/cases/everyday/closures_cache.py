from functools import lru_cache, partial, reduce, wraps
import asyncio

def memo(fn):
    store = {}
    @wraps(fn)
    async def inner(*args, **kwargs):
        key = (args, tuple(sorted(kwargs.items())))
        if key not in store:
            store[key] = await fn(*args, **kwargs)
        return store[key]
    inner.store = store
    return inner

@memo
async def product(product_id):
    return await mcp__inventory__get_product(product_id=product_id)

@lru_cache(maxsize=None)
def fmt(cents):
    return f"${cents / 100:,.2f}"

orders = (await mcp__inventory__list_orders(status="shipped", limit=5))["orders"]
for o in orders:
    names = []
    for item in o["items"]:
        p = await product(item["product_id"])
        names.append(f"{item['quantity']}x {p['name']}")
    print(o["id"], fmt(o["total_cents"]), "; ".join(names))
print(len(product.store) > 0)
grand = reduce(lambda acc, o: acc + o["total_cents"], orders, 0)
add_tax = partial(lambda rate, cents: round(cents * (1 + rate)), 0.2)
print(fmt(grand), fmt(add_tax(grand)))
