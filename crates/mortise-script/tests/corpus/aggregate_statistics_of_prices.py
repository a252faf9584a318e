import statistics
for ticker in ("AMZN", "MSFT", "GOOG"):
    closes = [row["close"] for row in await mcp__finance__prices(ticker=ticker)]
    print(ticker, round(statistics.mean(closes), 3), round(statistics.median(closes), 3),
          round(statistics.stdev(closes), 4), min(closes), max(closes))
    print(statistics.quantiles(closes, n=4)[1] == statistics.median(closes))
