rows = await mcp__finance__income()
years = sorted({r["year"] for r in rows})
tickers = sorted({r["ticker"] for r in rows})
table = {t: {r["year"]: r["revenue"] for r in rows if r["ticker"] == t} for t in tickers}
print("ticker".ljust(8) + "".join(f"{y:>9}" for y in years))
for t in tickers:
    print(t.ljust(8) + "".join(f"{table[t][y]:>9.1f}" for y in years))
