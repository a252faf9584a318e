import json
rows = await mcp__financial_data__query_financials(ticker="AMZN", limit=2)
print(json.dumps(rows, indent=2)[:50])
print(json.dumps({r["period"]: {"rev": r["revenue"], "ni": r["netIncome"]} for r in rows}))
print(json.dumps([{**r, "margin": r["netIncome"] / r["revenue"]} for r in rows], default=str)[:30])
