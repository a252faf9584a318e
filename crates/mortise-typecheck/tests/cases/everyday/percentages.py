rows = await mcp__financial_data__query_financials(ticker="AMZN", statement="income", period="annual")
for cur, prev in zip(rows, rows[1:]):
    g = (cur["revenue"] - prev["revenue"]) / prev["revenue"]
    print(cur["period"], f"{g:.1%}", round(cur["eps"] - prev["eps"], 2), cur["grossProfit"] / cur["revenue"])
latest = rows[0]
fields = ["revenue", "netIncome", "eps"]
print({f: latest[f] for f in fields}, [latest.get(f) for f in fields])
for f in fields:
    v = latest.get(f)
    if v is not None:
        print(f, v + 1)
    print(latest.get(f, 0) * 2)
