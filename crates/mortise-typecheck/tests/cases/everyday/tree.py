tree = await mcp__board__tree()
def total(node):
    return node["size"] + sum(total(c) for c in node["children"])
def walk(node, depth=0):
    yield depth, node["name"]
    for c in node["children"]:
        yield from walk(c, depth + 1)
print(total(tree["root"]))
for d, n in walk(tree["root"]):
    print("  " * d + n)
stack = [tree["root"]]
names = []
while stack:
    n = stack.pop()
    names.append(n["name"])
    stack.extend(n["children"])
print(names)
from collections import deque
queue = deque([(tree["root"], 0)])
while queue:
    node, depth = queue.popleft()
    print(depth, node["name"], node["size"])
    queue.extend((c, depth + 1) for c in node["children"])
