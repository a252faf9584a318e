from collections import ChainMap
from functools import reduce
t = await mcp__board__get_task(id="K1")
defaults = {"reviewer": "nobody", "point": 0}
m = ChainMap(t, defaults)
print(m["title"], m["reviewer"], m["point"])
merged = reduce(lambda a, b: {**a, **b}, [t, defaults])
print(merged["point"])
merged2 = reduce(lambda a, b: a | b, [t, {"idx": 4}])
print(merged2["idx"])
merged3 = {}
for d in (t, defaults):
    merged3.update(d)
print(merged3["reviewer"])
