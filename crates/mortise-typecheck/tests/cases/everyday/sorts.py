ps = (await mcp__inventory__list_products())["products"]
top = sorted(ps, key=lambda p: (-p["price_cents"], p["name"]))[:3]
low = min(ps, key=lambda p: p["stock"])
from operator import itemgetter, attrgetter
byname = sorted(ps, key=itemgetter("name"))
by2 = sorted(ps, key=itemgetter("category", "name"))
print([p["id"] for p in top], low["id"], byname[0]["id"], by2[0]["id"])
from itertools import groupby
for cat, grp in groupby(sorted(ps, key=lambda p: p["category"]), key=lambda p: p["category"]):
    grp = list(grp)
    print(cat, sum(g["stock"] for g in grp))
