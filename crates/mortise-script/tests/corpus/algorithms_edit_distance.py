def distance(a, b):
    previous = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        current = [i]
        for j, cb in enumerate(b, 1):
            current.append(min(previous[j] + 1, current[-1] + 1, previous[j - 1] + (ca != cb)))
        previous = current
    return previous[-1]
for a, b in (("kitten", "sitting"), ("", "abc"), ("flaw", "lawn"), ("gleich", "gleich")):
    print(a, b, distance(a, b))
names = [c["name"] for c in await mcp__shop__customers()]
print(min(names, key=lambda n: distance(n, "Marie O'Neill")))
