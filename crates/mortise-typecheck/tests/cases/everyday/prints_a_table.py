import textwrap
rows = (await mcp__tickets__list_tickets())["tickets"]
cols = ["id", "title", "status"]
widths = {c: max(len(str(r[c])) for r in rows) for c in cols}
print("  ".join(c.ljust(widths[c]) for c in cols))
for r in rows[:2]:
    print("  ".join(str(r[c]).ljust(widths[c]) for c in cols))
print(textwrap.shorten(rows[0]["body"], 30))
