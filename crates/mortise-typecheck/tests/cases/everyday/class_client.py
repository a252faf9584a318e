import asyncio

class Shop:
    _cache = {}
    def __init__(self, tax=0.2):
        self.tax = tax
        self.products = None
        self.customers = {}

    async def load(self):
        p, c = await asyncio.gather(mcp__inventory__list_products(), mcp__inventory__list_customers())
        self.products = {x["id"]: x for x in p["products"]}
        self.customers = {x["id"]: x for x in c["customers"]}
        return self

    def name(self, cid):
        return self.customers[cid]["name"]

    def price(self, pid):
        return self.products[pid]["price_cents"] * (1 + self.tax)

    async def orders_of(self, cid):
        if cid not in self._cache:
            self._cache[cid] = (await mcp__inventory__list_orders(customer_id=cid, limit=100))["orders"]
        return self._cache[cid]

    async def spend(self, cid):
        return sum(o["total_cents"] for o in await self.orders_of(cid) if o["status"] != "cancelled")

shop = await Shop().load()
spend = {cid: await shop.spend(cid) for cid in shop.customers}
for cid, cents in sorted(spend.items(), key=lambda kv: -kv[1]):
    c = shop.customers[cid]
    print(f"{shop.name(cid):<16} {c['country']} {c['segment']:<9} {cents / 100:>9.2f}")
low = [p for p in shop.products.values() if p["stock"] < 10]
print([p["name"] for p in low], round(shop.price("P-01")))
