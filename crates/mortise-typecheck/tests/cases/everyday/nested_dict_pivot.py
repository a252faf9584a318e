pivot = {}
for t in ("AAPL", "MSFT"):
    for r in await mcp__financial_data__query_financials(ticker=t, period="quarter", limit=4):
        pivot.setdefault(r["period"], {})[t] = r["revenue"]
cols = sorted({c for row in pivot.values() for c in row})
print("period    " + "".join(f"{c:>18}" for c in cols))
for period, row in pivot.items():
    print(f"{period:<10}" + "".join(f"{row.get(c, 0):>18,.0f}" for c in cols))
shares = {p: {c: v / sum(row.values()) for c, v in row.items()} for p, row in pivot.items()}
print({p: round(s["AAPL"], 3) for p, s in shares.items()})
tot = {c: sum(pivot[p].get(c, 0) for p in pivot) for c in cols}
print(tot["AAPL"] > 0)
ranked = [(i, *x) for i, x in enumerate(sorted(tot.items(), key=lambda x: x[1], reverse=True), 1)]
for i, name, v in ranked:
    print(i, name, f"{v / 1e9:.1f}bn")
