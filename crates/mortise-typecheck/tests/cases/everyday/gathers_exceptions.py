import asyncio
tickers = [t["ticker"] for t in (await mcp__financial_data__list_tickers())["tickers"]][:3]
results = await asyncio.gather(*(mcp__financial_data__query_financials(ticker=t) for t in tickers + ["NOPE"]), return_exceptions=True)
for t, r in zip(tickers, results):
    if isinstance(r, Exception):
        print(t, "error", r)
        continue
    print(t, r[0]["revenue"])
good = [r for r in results if not isinstance(r, BaseException)]
print(sum(len(g) for g in good))
