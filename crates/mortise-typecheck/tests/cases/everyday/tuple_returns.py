async def load(ticker):
    try:
        rows = await mcp__financial_data__query_financials(ticker=ticker, limit=3)
    except ToolError as e:
        return None, str(e)
    return rows, None
for t in ("AAPL", "ZZZZ"):
    rows, err = await load(t)
    if err:
        print(t, "error")
        continue
    print(t, rows[0]["revenue"], sum(r["netIncome"] for r in rows))
async def stats(ticker):
    rows, err = await load(ticker)
    if rows is None:
        return {}
    revs = [r["revenue"] for r in rows]
    return dict(min=min(revs), max=max(revs), n=len(revs))
print((await stats("MSFT"))["n"], await stats("NOPE"))
latest, *older = (await load("AAPL"))[0]
print(latest["date"], len(older), older[-1]["date"])
(a, b), c = (await load("AMZN")), 1
print(a[0]["ticker"], b, c)
