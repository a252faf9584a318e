def split(rows, date):
    return [r for r in rows if r["date"] < date], [r for r in rows if r["date"] >= date]
def mean(rows):
    return sum(r["close"] for r in rows) / len(rows)
report = []
for ticker in ("AMZN", "GOOG", "MSFT"):
    before, after = split(await mcp__finance__prices(ticker=ticker), "2026-03-09")
    change = mean(after) / mean(before) - 1
    report.append((change, ticker, len(before), len(after)))
for change, ticker, n, m in sorted(report, reverse=True):
    arrow = "▲" if change > 0 else "▼"
    print(f"{ticker} {arrow} {change:+.3%} ({n}/{m})")
emit([{"ticker": t, "change": round(c, 6)} for c, t, *_ in report])
