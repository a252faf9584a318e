import statistics as st
import math

async def closes(ticker, n=100):
    page = await mcp__financial_data__get_price_history(ticker=ticker, limit=n)
    return [p["close"] for p in page["prices"]]

def pct(xs):
    return [b / a - 1 for a, b in zip(xs, xs[1:])]

data = {}
for t in ("AAPL", "MSFT", "NVDA"):
    data[t] = pct(await closes(t))
for t, r in data.items():
    vol = st.stdev(r) * math.sqrt(252)
    print(f"{t} mean={st.mean(r):.4f} median={st.median(r):.4f} vol={vol:.2%}")
    q = st.quantiles(r, n=4)
    print("  IQR", round(q[2] - q[0], 5))
def corr(a, b):
    n = min(len(a), len(b))
    return st.correlation(a[:n], b[:n])
names = list(data)
matrix = [[corr(data[a], data[b]) for b in names] for a in names]
for name, row in zip(names, matrix):
    print(name, *(f"{x:6.2f}" for x in row))
best = max(data, key=lambda k: st.mean(data[k]))
print(best)
