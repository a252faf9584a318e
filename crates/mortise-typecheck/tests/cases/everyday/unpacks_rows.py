rows = await mcp__financial_data__query_financials(ticker="AMZN")
first, *rest = rows
(a, b), c = (rows[0], rows[1]), rows[2]
print(first["revenue"], len(rest), a["period"], c["date"])
for i, (prev, cur) in enumerate(zip(rows, rows[1:]), 1):
    print(i, (prev["revenue"] - cur["revenue"]) / cur["revenue"] * 100)
d = {r["period"]: r for r in rows}
print(d["FY 2025"]["revenue"] if "FY 2025" in d else None)
x = d.get("FY 2025")
print(x["revenue"] if x else None)
del rows[0]["eps"]
v = rows[1].pop("eps", None)
print(v, rows[1].setdefault("note", "none"), rows[1]["note"])
