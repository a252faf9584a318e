import re
valid = re.compile(r"[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}", re.I)
candidates = [c["email"] for c in await mcp__shop__customers()] + ["x@y", "@nope.com", "a b@c.de", "ok.name+tag@sub.example.org"]
for e in candidates:
    print(f"{e:32} {bool(valid.fullmatch(e))}")
