rows = await mcp__financial_data__query_financials(ticker="AMZN", limit=4)
for r in rows:
    r["margin"] = round(r["netIncome"] / r["revenue"], 4)
rows.append({"period": "TOTAL", "revenue": sum(r["revenue"] for r in rows), "netIncome": sum(r["netIncome"] for r in rows), "margin": None, "revenues": 1})
last = rows[-1]
print(last["period"], last["revenues"], last["margin"])
for r in rows:
    m = "-" if r["margin"] is None else f"{r['margin']:.1%}"
    print(f"{r['period']:<10}{r['revenue']:>18,.0f}{m:>8}")
