prices = await mcp__finance__prices(ticker="GOOG")
changes = [(b["date"], (b["close"] / a["close"] - 1) * 100) for a, b in zip(prices, prices[1:])]
up = [c for c in changes if c[1] > 0]
print(f"{len(up)} of {len(changes)} days up")
for day, change in sorted(changes, key=lambda c: abs(c[1]), reverse=True)[:3]:
    print(f"{day} {change:+.3f}%")
