import functools, time
def timed(fn):
    @functools.wraps(fn)
    async def inner(*a, **k):
        t = time.time()
        r = await fn(*a, **k)
        inner.last = time.time() - t
        return r
    inner.last = 0
    return inner
@timed
async def load():
    return await mcp__inventory__list_products()
d = await load()
print(len(d["products"]), load.last >= 0)
cached = {}
async def memo(pid):
    if pid not in cached:
        cached[pid] = await mcp__inventory__get_product(product_id=pid)
    return cached[pid]
print((await memo("P-01"))["name"])
