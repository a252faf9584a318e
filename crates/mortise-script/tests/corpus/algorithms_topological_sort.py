from graphlib import TopologicalSorter, CycleError
tasks = {"deploy": {"test", "build"}, "test": {"build"}, "build": {"fetch"}, "docs": {"fetch"}}
print(list(TopologicalSorter(tasks).static_order())[0], end=" ")
order = TopologicalSorter(tasks)
order.prepare()
while order.is_active():
    ready = sorted(order.get_ready())
    print(ready, end=" ")
    order.done(*ready)
print()
try:
    tuple(TopologicalSorter({"a": {"b"}, "b": {"a"}}).static_order())
except CycleError as e:
    print("cycle", sorted(set(e.args[1])))
