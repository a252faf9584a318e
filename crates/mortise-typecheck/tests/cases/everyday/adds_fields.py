rows = await mcp__financial_data__query_financials(ticker="AMZN")
for r in rows:
    r["margin"] = r["netIncome"] / r["revenue"]
    r.update({"year": int(r["period"][-4:]), "ok": True})
print(sorted(rows, key=lambda r: r["margin"])[0]["year"])
def enrich(r):
    return {**r, "growth": 1.0, "label": f"{r['ticker']}-{r['period']}"}
en = [enrich(r) for r in rows]
print(en[0]["growth"], en[0]["label"], en[0]["revenue"])
merged = rows[0] | {"x": 1}
print(merged["x"])
