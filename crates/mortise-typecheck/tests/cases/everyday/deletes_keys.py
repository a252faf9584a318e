r = (await mcp__tickets__get_ticket(id="T-101"))["ticket"]
r.pop("body")
del r["labels"]
r["n"] = len(r)
print(r)
for k in list(r):
    if r[k] is None:
        del r[k]
print({k: r[k] for k in sorted(r)})
clean = {k: v for k, v in r.items() if v not in (None, "", [])}
print(clean["id"], clean.get("title"))
