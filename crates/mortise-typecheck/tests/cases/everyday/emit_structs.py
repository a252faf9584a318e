import json
from statistics import mean
tickers = (await mcp__financial_data__list_tickers())["tickers"]
out = {"generated": "today", "sectors": {}}
for t in tickers:
    rows = await mcp__financial_data__query_financials(ticker=t["ticker"], limit=2)
    latest = rows[0]
    sector = out["sectors"].setdefault(t["sector"], {"companies": [], "revenue": 0})
    sector["companies"].append({"ticker": t["ticker"], "eps": latest.get("eps")})
    sector["revenue"] += latest["revenue"]
for name, s in out["sectors"].items():
    s["mean_eps"] = round(mean(c["eps"] for c in s["companies"] if c["eps"] is not None), 2)
out["best"] = max(out["sectors"], key=lambda n: out["sectors"][n]["mean_eps"])
print(json.dumps(out)[:80])
emit(out)
