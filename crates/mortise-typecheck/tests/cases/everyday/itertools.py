from itertools import accumulate, pairwise, batched, zip_longest, product, starmap, chain, islice, takewhile, count, cycle, combinations, groupby, tee
page = await mcp__financial_data__get_price_history(ticker="NVDA", limit=30)
closes = [p["close"] for p in page["prices"]]
moves = [round(b - a, 2) for a, b in pairwise(closes)]
print(moves[:3], list(accumulate(moves))[-1])
streak = max((sum(1 for _ in g) for up, g in groupby(m > 0 for m in moves) if up), default=0)
print("streak", streak)
for week in batched(page["prices"], 5):
    print(week[0]["date"], round(sum(p["close"] for p in week) / len(week), 2))
sma = [sum(w) / 3 for w in zip(closes, closes[1:], closes[2:])]
print(len(sma), round(sma[0], 2))
for a, b in islice(zip_longest(closes, sma, fillvalue=0), 2):
    print(round(a - b, 2))
print(list(starmap(lambda d, c: f"{d}:{c}", ((p["date"], p["close"]) for p in page["prices"][:2]))))
print(list(takewhile(lambda p: p["close"] < 10**6, page["prices"]))[0]["volume"] > 0)
tickers = [t["ticker"] for t in (await mcp__financial_data__list_tickers())["tickers"]]
print(len(list(combinations(tickers, 2))), next(cycle(tickers)), len(list(chain.from_iterable([tickers, tickers]))))
x, y = tee(closes)
next(y, None)
print(any(b > a for a, b in zip(x, y)))
for i, p in zip(count(1), page["prices"][:2]):
    print(i, p["date"])
for t, s in product(tickers[:1], ("income", "balance")):
    print(t, s, len(await mcp__financial_data__query_financials(ticker=t, statement=s, limit=2)))
