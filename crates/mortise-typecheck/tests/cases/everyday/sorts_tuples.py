ps = (await mcp__inventory__list_products())["products"]
scored = [(p["price_cents"] * p["stock"], p["name"], p) for p in ps]
scored.sort(reverse=True, key=lambda x: x[0])
for value, name, p in scored[:3]:
    print(value, name, p["id"])
val, nm, prod = max(scored, key=lambda s: s[0])
print(prod["category"])
heap = []
import heapq
for p in ps:
    heapq.heappush(heap, (p["stock"], p["id"]))
print(heapq.nsmallest(2, ps, key=lambda p: p["stock"])[0]["name"], heapq.heappop(heap)[1])
