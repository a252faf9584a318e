hosts = await mcp__net__hosts()
parent = {h["host"]: h["host"] for h in hosts}
def find(x):
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x
for a in hosts:
    for b in hosts:
        if a["ip"].split(".")[2] == b["ip"].split(".")[2]:
            parent[find(a["host"])] = find(b["host"])
groups = {}
for h in hosts:
    groups.setdefault(find(h["host"]), []).append(h["host"].split(".")[0])
for g in sorted(groups.values()):
    print(g)
