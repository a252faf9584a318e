r = await mcp__board__lookup(q="x")
if r["ok"]:
    print("value", r["value"] + 1)
else:
    print("error", r["error"])
if not r["ok"]:
    raise SystemExit(r["error"])
print(r["value"])
if r.get("error"):
    print(r["error"])
value = r["value"] if r["ok"] is True else None
print(value)
results = [await mcp__board__lookup(q=q) for q in "ab"]
good = [x["value"] for x in results if x["ok"]]
bad = [x["error"] for x in results if not x["ok"]]
print(good, bad)
if "error" in r:
    print("bad", r["error"])
elif "value" in r:
    print("good", r["value"])
