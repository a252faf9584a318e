import asyncio
from collections import defaultdict

TICKERS = ["AAPL", "AMZN", "MSFT"]

async def fetch(ticker, statement="income", limit=4):
    return ticker, await mcp__financial_data__query_financials(ticker=ticker, statement=statement, limit=limit)

def growth(rows):
    rows = sorted(rows, key=lambda r: r["date"])
    out = []
    for prev, cur in zip(rows, rows[1:]):
        if prev["revenue"]:
            out.append((cur["period"], (cur["revenue"] - prev["revenue"]) / prev["revenue"] * 100))
    return out

results = dict(await asyncio.gather(*(fetch(t) for t in TICKERS)))
table = defaultdict(dict)
for ticker, rows in results.items():
    for period, pct in growth(rows):
        table[period][ticker] = round(pct, 2)

for period in sorted(table):
    cells = " | ".join(f"{t}: {table[period].get(t, 'n/a'):>8}" for t in TICKERS)
    print(f"{period:<10} {cells}")
best = max(((t, g) for t, rows in results.items() for _, g in growth(rows)), key=lambda x: x[1], default=None)
if best:
    print(f"Best: {best[0]} {best[1]:+.1f}%")
