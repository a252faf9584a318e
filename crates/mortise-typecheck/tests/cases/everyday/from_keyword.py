args = {"from": "2025-03-01", "to": "2025-03-31"}
page = await mcp__financial_data__get_price_history(ticker="AAPL", limit=50, **args)
print(len(page["prices"]), page["prices"][0]["date"])
async def month(ticker, m):
    prices, cursor = [], None
    while True:
        page = await mcp__financial_data__get_price_history(ticker=ticker, cursor=cursor, **{"from": f"2025-{m:02d}-01", "to": f"2025-{m:02d}-28"})
        prices.extend(page["prices"])
        if (cursor := page.get("next_cursor")) is None:
            return prices
for m in (1, 2):
    ps = await month("AMZN", m)
    hi, lo = max(ps, key=lambda p: p["close"]), min(ps, key=lambda p: p["close"])
    print(m, hi["close"], lo["close"], f"{(hi['close'] - lo['close']) / lo['close']:.1%}")
params = dict(ticker="MSFT", limit=5)
params["from"] = "2025-06-01"
page = await mcp__financial_data__get_price_history(**params)
print(page["ticker"], [p["close"] for p in page["prices"]])
