import json
data = await mcp__financial_data__query_financials(ticker="AMZN", statement="income")
if isinstance(data, str):
    data = json.loads(data)
if isinstance(data, dict):
    data = data.get("result", data.get("data", []))
rows = data if isinstance(data, list) else [data]
for row in rows[:2]:
    print(row["period"], row["revenue"])
