from collections import Counter
import heapq
products = (await mcp__inventory__list_products())["products"]
counts = {}
for p in products:
    counts[p["category"]] = counts.get(p["category"], 0) + p["stock"]
top = max(counts, key=counts.get)
print(top, counts[top])
for cat in sorted(counts, key=counts.get, reverse=True)[:3]:
    print(cat, counts[cat])
low = min(counts.items(), key=lambda kv: kv[1])
print(*low)
print(heapq.nlargest(2, products, key=lambda p: p["price_cents"])[0]["name"])
print(dict(sorted(counts.items(), key=lambda kv: kv[1], reverse=True)))
flat = sum([[p["name"]] * 2 for p in products[:2]], [])
print(flat)
names, prices = zip(*[(p["name"], p["price_cents"]) for p in products])
print(names[0], sum(prices))
print("{name} costs {price_cents}".format(**products[0]))
print("%(name)s has %(stock)d" % products[0])
print("%s: %d" % (products[0]["name"], products[0]["stock"]))
c = Counter({p["id"]: p["stock"] for p in products})
print(c.most_common(1)[0][0], (c - Counter({"P-01": 5})).total() > 0)
seen = dict.fromkeys(p["category"] for p in products)
print(list(seen))
