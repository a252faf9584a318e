def chunks(xs, n):
    for i in range(0, len(xs), n):
        yield xs[i:i + n]
ps = (await mcp__inventory__list_products())["products"]
for ch in chunks(ps, 3):
    print([p["id"] for p in ch])
def flatten(d, prefix=""):
    for k, v in d.items():
        if isinstance(v, dict):
            yield from flatten(v, prefix + k + ".")
        else:
            yield prefix + k, v
print(dict(flatten(await mcp__weather__get_weather(city="Oslo"))))
