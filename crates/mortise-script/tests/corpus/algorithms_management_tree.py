people = await mcp__hr__people()
reports = {}
for p in people:
    reports.setdefault(p["manager_id"], []).append(p)
def show(manager, depth=0):
    for p in sorted(reports.get(manager, []), key=lambda p: p["name"]):
        print("  " * depth + f"{p['name']} ({p['team']})")
        show(p["id"], depth + 1)
def size(id):
    return 1 + sum(size(p["id"]) for p in reports.get(id, []))
show(None)
print(size(1), {p["name"]: size(p["id"]) for p in reports[1]})
