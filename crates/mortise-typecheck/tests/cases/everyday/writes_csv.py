import csv, io
rows = await mcp__financial_data__query_financials(ticker="AMZN")
buf = io.StringIO()
w = csv.DictWriter(buf, fieldnames=["period", "revenue", "eps"], extrasaction="ignore")
w.writeheader()
w.writerows(rows)
for r in rows:
    w.writerow({"period": r["period"], "revenue": r["revenue"], "eps": r.get("eps", "")})
print(buf.getvalue()[:60])
res = await mcp__weather__process_csv(csv_data=buf.getvalue())
for c in res["columns"]:
    print(c.get("name"), c.get("kind"))
