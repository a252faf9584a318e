from types import SimpleNamespace
import json
rows = await mcp__financial_data__query_financials(ticker="MSFT", limit=2)
for row in rows:
    row = SimpleNamespace(**row)
    print(row.period, row.revenue, row.netIncome)
objs = [SimpleNamespace(**r) for r in rows]
print(max(objs, key=lambda o: o.revenue).period)
deep = json.loads(json.dumps(rows), object_hook=lambda d: SimpleNamespace(**d))
print(deep[0].revenue)
class AttrDict(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__
a = AttrDict(rows[0])
a.margin = a.netIncome / a.revenue
print(round(a.margin, 3), a["margin"] > 0)
class Wrap:
    def __init__(self, d): self._d = d
    def __getattr__(self, k): return self._d[k]
    def __getitem__(self, k): return self._d[k]
w = Wrap(rows[0])
print(w.currency, w["date"])
