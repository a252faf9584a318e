# Largest daily moves of every ticker in 2025: pages of many tickers read side by side.
import asyncio
from itertools import pairwise


async def prices(ticker):
    rows, cursor = [], None
    while True:
        arguments = {"ticker": ticker, "limit": 100} | ({"cursor": cursor} if cursor else {})
        page = await mcp__financial_data__get_price_history(**arguments)
        rows += page["prices"]
        cursor = page.get("next_cursor")
        if not cursor:
            return rows


tickers = [t["ticker"] for t in (await mcp__financial_data__list_tickers())["tickers"]]
histories = await asyncio.gather(*map(prices, tickers))
for ticker, rows in zip(tickers, histories):
    moves = [(after["close"] / before["close"] - 1, after["date"]) for before, after in pairwise(rows)]
    best, worst = max(moves), min(moves)
    print(f"{ticker:<6} {len(rows):>4} days  best {best[0]:+.1%} on {best[1]}  worst {worst[0]:+.1%} on {worst[1]}")
