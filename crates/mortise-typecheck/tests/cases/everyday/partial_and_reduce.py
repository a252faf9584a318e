from functools import partial, reduce
q = partial(mcp__financial_data__query_financials, statement="income")
rows = await q(ticker="AMZN")
total = reduce(lambda acc, r: acc + r["revenue"], rows, 0)
print(total, any(r["revenue"] > 1 for r in rows), all(map(lambda r: r["revenue"] > 0, rows)))
print(list(filter(lambda r: r.get("eps") is not None, rows))[:1])
