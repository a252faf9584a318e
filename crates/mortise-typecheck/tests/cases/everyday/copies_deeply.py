import copy
r = (await mcp__financial_data__query_financials(ticker="AMZN"))[0]
c = copy.deepcopy(r)
c["extra"] = 1
print(c["extra"])
d = r.copy()
d["other"] = 2
print(d["other"], list(d.items())[:1])
