import asyncio
results = await asyncio.gather(*[mcp__financial_data__query_financials(ticker=t) for t in ["AMZN", "NOPE"]], return_exceptions=True)
for r in results:
    if not isinstance(r, list):
        print("bad", type(r).__name__, str(r)[:20])
    else:
        print(r[0].get("revenue", 0))
