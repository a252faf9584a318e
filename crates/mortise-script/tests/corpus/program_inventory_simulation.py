from dataclasses import dataclass, field
@dataclass
class Store:
    stock: dict
    log: list = field(default_factory=list)
    def take(self, sku, n):
        have = self.stock.get(sku, 0)
        taken = min(have, n)
        self.stock[sku] = have - taken
        self.log.append((sku, n, taken))
        return taken
store = Store({p["sku"]: p["stock"] for p in await mcp__shop__products()})
for o in sorted(await mcp__shop__orders(), key=lambda o: o["date"]):
    if o["status"] != "cancelled":
        for i in o["items"]:
            store.take(i["sku"], i["quantity"])
short = [(s, w - t) for s, w, t in store.log if t < w]
print(len(store.log), "moves,", len(short), "short,", sum(n for _, n in short), "pieces")
print(store.stock)
