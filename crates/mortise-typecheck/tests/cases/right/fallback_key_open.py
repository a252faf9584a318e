rows = await mcp__financial_data__query_financials(ticker="AAPL", statement="income")
def num(x):
    return float(x) if x is not None else 0.0
for r in rows:
    gross = r["grossProfit"] if "grossProfit" in r else r["gross_profit"]
    eps = r.get("eps") or r["EPS"]
    op = num(r.get("operatingIncome"))
    print(r["period"], num(gross), eps, op)
