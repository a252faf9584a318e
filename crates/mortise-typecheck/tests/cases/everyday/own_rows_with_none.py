out = []
for c in ("Oslo", "Xx"):
    try:
        w = await mcp__weather__get_weather(city=c)
        out.append({"n": w["humidity"], "error": None})
    except Exception as e:
        out.append({"n": 0, "error": str(e)})
print(sum(o["n"] for o in out))
print([o["error"].upper() for o in out if o["error"]])
best = {"v": None, "name": None}
for o in out:
    if best["v"] is None or o["n"] > best["v"]:
        best["v"] = o["n"]
        best["name"] = "x"
print(best["v"] * 2, best["name"].upper())
