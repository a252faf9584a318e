def get(d, *path, default=None):
    for p in path:
        if isinstance(d, dict):
            d = d.get(p, default)
        elif isinstance(d, list) and isinstance(p, int) and p < len(d):
            d = d[p]
        else:
            return default
    return d
t = await mcp__tickets__get_ticket(id="T-101")
print(get(t, "ticket", "title"), get(t, "comments", 0, "author"), get(t, "nope", "x", default="-"))
def fmt(rows, cols):
    for r in rows:
        print(" | ".join(str(r.get(c, "")) for c in cols))
fmt(t["comments"], ["author", "text"])
