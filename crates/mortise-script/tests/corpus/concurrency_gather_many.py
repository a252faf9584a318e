import asyncio
tickers = ["AMZN", "MSFT", "GOOG", "NVDA"]
results = await asyncio.gather(*(mcp__finance__income(ticker=t) for t in tickers))
for t, rows in zip(tickers, results):
    print(t, " → ".join(f"${r['revenue']:.1f}B" for r in rows))
