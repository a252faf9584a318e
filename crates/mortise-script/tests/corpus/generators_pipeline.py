import re
def parse(lines):
    for line in lines:
        parts = line.split()
        yield {"level": parts[1], "code": int(parts[-2]), "ms": int(parts[-1][:-2])}
def only(rows, **wanted):
    return (r for r in rows if all(r[k] == v for k, v in wanted.items()))
def top(rows, n, key):
    yield from sorted(rows, key=lambda r: -r[key])[:n]
lines = await mcp__logs__lines()
for r in top(only(parse(lines), code=200), 4, "ms"):
    print(r)
print(sum(1 for _ in only(parse(lines), level="ERROR")))
