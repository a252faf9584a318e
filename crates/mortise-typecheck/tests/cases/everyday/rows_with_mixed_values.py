rows = await mcp__financial_data__query_financials(ticker="AMZN")
table = [{"p": r["period"], "rev": r["revenue"], "m": r["netIncome"] / r["revenue"] * 100, "tags": [r["ticker"]]} for r in rows]
print(sum(t["rev"] for t in table), round(table[0]["m"], 2), table[0]["p"].split(" ")[1], table[0]["tags"][0])
avg = sum(t["m"] for t in table) / len(table)
print(f"{avg:.1f}", [t["rev"] - table[0]["rev"] for t in table])
table[0]["m"] += 1
print(sorted(table, key=lambda t: t["m"])[0]["p"])
for t in table:
    t["rank"] = 1
    t["share"] = t["rev"] / 2
print(table[0]["share"] > 1)
