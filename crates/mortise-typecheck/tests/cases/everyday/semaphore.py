import asyncio, time

SEM = asyncio.Semaphore(3)
cache: dict[str, list] = {}

async def limited(coro):
    async with SEM:
        return await coro

async def prices(ticker: str, days: int = 30) -> list:
    if ticker in cache:
        return cache[ticker]
    out: list = []
    cursor = None
    while len(out) < days:
        page = await limited(mcp__financial_data__get_price_history(ticker=ticker, cursor=cursor, limit=25))
        out += page["prices"]
        cursor = page.get("next_cursor")
        if cursor is None:
            break
    cache[ticker] = out[:days]
    return cache[ticker]

start = time.perf_counter()
tickers = [t["ticker"] for t in (await mcp__financial_data__list_tickers())["tickers"]][:4]
histories = await asyncio.gather(*map(prices, tickers))
for t, h in zip(tickers, histories):
    closes = [p["close"] for p in h]
    ret = closes[-1] / closes[0] - 1
    high = max(h, key=lambda p: p["close"])
    print(f"{t}: {ret:+.2%} high {high['close']} on {high['date']}, volume {sum(p['volume'] for p in h):,}")
elapsed = time.perf_counter() - start
assert elapsed >= 0
