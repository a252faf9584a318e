rows = await mcp__financial_data__query_financials(ticker="AAPL", statement="cashflow", limit=4)
fcf = [r.get("freeCashFlow") for r in rows]
known = [x for x in fcf if x is not None]
print(sum(known) / len(known), max(filter(None, fcf)))
for r in rows:
    capex = abs(r.get("capitalExpenditure", 0))
    ocf = r["operatingCashFlow"]
    print(r["period"], f"{ocf - capex:,.0f}", f"{capex / ocf:.1%}")
eps = {r["period"]: r["eps"] for r in await mcp__financial_data__query_financials(ticker="AAPL") if "eps" in r}
print(eps)
inc = await mcp__financial_data__query_financials(ticker="AAPL", statement="income")
pairs = [(a["period"], b["freeCashFlow"] / a["netIncome"]) for a in inc for b in rows if a["period"] == b["period"]]
print([(p, round(x, 2)) for p, x in pairs])
best = sorted(inc, key=lambda r: r.get("eps", 0) or 0)[-1]
print(best["eps"], round(best["grossProfit"] / best["revenue"], 3))
def pct(a, b): return None if not b else (a - b) / abs(b) * 100
chg = [pct(x["revenue"], y["revenue"]) for x, y in zip(inc, inc[1:])]
print([f"{c:+.1f}" for c in chg if c is not None])
