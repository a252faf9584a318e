import operator
tasks = (await mcp__board__list_tasks())["tasks"]
for t in tasks:
    operator.setitem(t, "late", t["due"] < "2026-01-04")
    t.__setitem__("slug", t["title"].replace(" ", "-"))
print([t["slug"] for t in tasks if t["late"]])
