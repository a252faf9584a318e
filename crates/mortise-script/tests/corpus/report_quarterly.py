rows = await mcp__finance__income()
print("=" * 44)
print(f"{'Ticker':<8}{'First':>10}{'Last':>10}{'CAGR':>10}")
print("-" * 44)
for ticker in dict.fromkeys(r["ticker"] for r in rows):
    series = sorted((r["year"], r["revenue"]) for r in rows if r["ticker"] == ticker)
    (y0, first), (y1, last) = series[0], series[-1]
    print(f"{ticker:<8}{first:>10.1f}{last:>10.1f}{(last / first) ** (1 / (y1 - y0)) - 1:>10.2%}")
print("=" * 44)
