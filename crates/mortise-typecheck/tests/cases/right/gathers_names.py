import asyncio
tickers = ["A", "B"]
calls = [mcp__market__quote(ticker=ticker) for ticker in tickers]
quotes = await asyncio.gather(*calls)
print({ticker: quote["price"] for ticker, quote in zip(tickers, quotes)})
