import asyncio
async def main():
    sem = asyncio.Semaphore(4)
    async def one(p):
        async with sem:
            d = await mcp__inventory__get_product(product_id=p["id"])
            return p["id"], d
    ps = (await mcp__inventory__list_products())["products"]
    pairs = await asyncio.gather(*(one(p) for p in ps))
    return dict(pairs)
res = await main()
for k, v in list(res.items())[:3]:
    print(k, v["stock"], v["name"])
