def flatten(value, path=""):
    if isinstance(value, dict):
        for k, v in value.items():
            yield from flatten(v, f"{path}.{k}" if path else k)
    elif isinstance(value, list):
        for i, v in enumerate(value):
            yield from flatten(v, f"{path}[{i}]")
    else:
        yield path, value
for path, value in flatten((await mcp__shop__orders())[1]):
    print(path, "=", value)
def get(value, path, default=None):
    for part in path.split("."):
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, ValueError, TypeError):
            return default
    return value
o = (await mcp__shop__orders())[1]
print(get(o, "items.0.sku"), get(o, "items.9.sku", "none"), get(o, "id.x"))
