import functools, operator
rows = await mcp__shop__products()
print(functools.reduce(operator.mul, range(1, 8)), functools.reduce(lambda a, p: a + p["stock"], rows, 0))
by_price = sorted(rows, key=operator.itemgetter("price", "name"))
print([p["name"] for p in by_price[:3]], list(map(operator.itemgetter("sku"), filter(lambda p: not p["stock"], rows))))
add = functools.partial(int, base=2)
compose = lambda *fs: functools.reduce(lambda f, g: lambda x: f(g(x)), fs)
print(add("1010"), compose(str, abs, lambda x: x - 10)(3))
@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(90), fib.cache_info().hits)
