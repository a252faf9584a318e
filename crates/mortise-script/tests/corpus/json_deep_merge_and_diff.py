def merge(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return {k: merge(a[k], b[k]) if k in a and k in b else a.get(k, b.get(k)) for k in {**a, **b}}
    return b
def diff(a, b, path="/"):
    if isinstance(a, dict) and isinstance(b, dict):
        for k in sorted({*a, *b}):
            if k not in a:
                yield f"+ {path}{k}"
            elif k not in b:
                yield f"- {path}{k}"
            else:
                yield from diff(a[k], b[k], f"{path}{k}/")
    elif a != b:
        yield f"~ {path[:-1]} {a!r} -> {b!r}"
base = {"a": 1, "b": {"c": 2, "d": [1]}}
print(merge(base, {"b": {"c": 3, "e": 4}, "f": 5}))
one, two = await mcp__shop__products(sku="P001"), await mcp__shop__products(sku="P002")
print("\n".join(diff(one[0], two[0])), *diff(base, {"b": {"d": [1]}}), sep="\n")
