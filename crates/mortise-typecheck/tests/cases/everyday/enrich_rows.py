rows = await mcp__financial_data__query_financials(ticker="AMZN", statement="income")
for r in rows:
    r["margin"] = r["netIncome"] / r["revenue"]
    r["grossMargin"] = r.get("grossProfit", 0) / r["revenue"]
balance = {b["period"]: b for b in await mcp__financial_data__query_financials(ticker="AMZN", statement="balance")}
for r in rows:
    b = balance.get(r["period"])
    if b:
        r["roa"] = r["netIncome"] / b["totalAssets"] if b.get("totalAssets") else None
    r.update(debtRatio=(b["totalLiabilities"] / b["totalAssets"]) if b else None)
rows.sort(key=lambda r: r["margin"], reverse=True)
for r in rows:
    print(f"{r['period']}: margin {r['margin']:.1%} gross {r['grossMargin']:.1%} roa {r['roa']:.1%} debt {r['debtRatio']:.1%}")
keep = ("period", "margin", "roa")
slim = [{k: r[k] for k in keep} for r in rows]
print(slim[0]["period"], slim[0]["margin"] > 0)
totals = {k: sum(r[k] for r in rows) for k in ("revenue", "netIncome")}
print(totals["revenue"], totals["netIncome"])
