items = [(p["name"], round(p["price"]), p["stock"] % 7 + 1) for p in await mcp__shop__products()]
capacity = 15
best = [(0, [])] * (capacity + 1)
for name, value, weight in items:
    for c in range(capacity, weight - 1, -1):
        candidate = (best[c - weight][0] + value, best[c - weight][1] + [name])
        best[c] = max(best[c], candidate, key=lambda b: b[0])
print(best[capacity])
