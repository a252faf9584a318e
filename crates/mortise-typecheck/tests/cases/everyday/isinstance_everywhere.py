def norm(result, *keys):
    if result is None:
        return []
    if isinstance(result, list):
        return result
    if isinstance(result, dict):
        for k in keys:
            if k in result and isinstance(result[k], list):
                return result[k]
        return [result]
    if isinstance(result, str):
        import json
        try:
            return norm(json.loads(result), *keys)
        except ValueError:
            return [result]
    raise TypeError(type(result))
a = await mcp__tickets__list_tickets(limit=3)
tickets = a if isinstance(a, list) else a["tickets"] if isinstance(a, dict) else []
print(len(tickets), len(norm(a, "items", "tickets")))
b = await mcp__financial_data__query_financials(ticker="AAPL", limit=2)
rows = b["rows"] if isinstance(b, dict) else b
print(rows[0]["revenue"], len(norm(b)))
c = await mcp__doc_retrieval__search_docs(query="code")
docs = c if isinstance(c, list) else c.get("results", [])
print(docs[0]["title"])
d = await mcp__weather__describe_climate(city="Oslo")
print(d if isinstance(d, str) else d.get("text"))
if hasattr(b, "items"):
    print("dict")
elif isinstance(b, (list, tuple)) and b and isinstance(b[0], dict):
    print("rows", list(b[0])[:2])
e = await mcp__weather__get_weather(city="Lima")
t = e["temperature"]
print(t["celsius"] if isinstance(t, dict) else t)
if not isinstance(e, dict) or "temperature" not in e:
    raise RuntimeError("unexpected")
print(type(e).__name__, type(b) is list)
