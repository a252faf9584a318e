d = {p["sku"]: p["stock"] for p in await mcp__shop__products()}
print(dict(sorted(d.items(), key=lambda kv: kv[1])[:3]), max(d, key=d.get), list(d)[:2], d.get("nope", 0))
d |= {"P099": 1}
d.pop("P001"), d.setdefault("P002", 5), d.update(P003=0)
print(len(d), "P001" in d, d["P003"], {v: k for k, v in d.items() if v > 100}, list(reversed(d))[0])
from collections import OrderedDict, ChainMap, defaultdict
o = OrderedDict(a=1, b=2)
o.move_to_end("a")
print(list(o), ChainMap({"x": 1}, {"x": 2, "y": 3})["y"], dict(defaultdict(list, {"k": [1]})), {**{"a": 1}, "a": 2})
