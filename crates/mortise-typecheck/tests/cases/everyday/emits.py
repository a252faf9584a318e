rows = await mcp__financial_data__query_financials(ticker="AMZN")
summary = {"n": len(rows), "first": rows[-1]["period"], "rows": [{"p": r["period"], "m": round(r["netIncome"] / r["revenue"], 3)} for r in rows]}
summary["best"] = max(summary["rows"], key=lambda r: r["m"])
emit(summary)
print(summary["best"]["p"])
