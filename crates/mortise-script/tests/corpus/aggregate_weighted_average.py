rows = await mcp__finance__prices()
by = {}
for r in rows:
    value, volume = by.get(r["ticker"], (0, 0))
    by[r["ticker"]] = (value + r["close"] * r["volume"], volume + r["volume"])
for t, (value, volume) in sorted(by.items()):
    print(t, f"{value / volume:.6f}")
