import pprint, reprlib
order = (await mcp__shop__orders())[2]
pprint.pprint(order, width=60)
pprint.pprint({"b": [1] * 3, "a": {"x": None}}, sort_dicts=False)
print(pprint.pformat(list(range(30)), width=40, compact=True))
print(reprlib.repr(list(range(100))), reprlib.repr("x" * 100))
