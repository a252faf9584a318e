import statistics, math
rows = (await mcp__financial_data__get_price_history(ticker="AMZN", limit=50))["prices"]
closes = [r["close"] for r in rows]
rets = [b / a - 1 for a, b in zip(closes, closes[1:])]
print(f"{statistics.mean(rets):.4f} {statistics.stdev(rets):.4f} {math.sqrt(252):.1f}")
best = max(zip(rets, rows[1:]), key=lambda x: x[0])
print(best[1]["date"], f"{best[0]:+.2%}")
ma = {r["date"]: sum(closes[max(0, i - 4): i + 1]) / len(closes[max(0, i - 4): i + 1]) for i, r in enumerate(rows)}
print(list(ma.items())[-1])
