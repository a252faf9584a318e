m = await mcp__board__mapping()
total = sum(v["price"] * v["qty"] for v in m.values())
print(total, m["x"]["price"])
for sym, pos in sorted(m.items(), key=lambda kv: -kv[1]["price"]):
    print(sym, pos["qty"])
best = max(m, key=lambda s: m[s]["price"])
print(best, m[best]["qty"])
weights = {s: p["price"] * p["qty"] / total for s, p in m.items()}
print(round(sum(weights.values()), 6))
if "q" in m:
    print(m["q"])
print(m.get("q", {}).get("price", 0))
print(m.get("x", {"price": 0})["price"])
