tasks = (await mcp__board__list_tasks())["tasks"]
merged = [t | {"point": t["points"], "late": False} for t in tasks]
print(merged[0]["point"], merged[0]["late"])
spread = [{**t, "statuses": [t["status"]]} for t in tasks]
print(spread[1]["statuses"])
via = [dict(t, titles=1) for t in tasks]
print(via[0]["titles"])
cp = [t.copy() for t in tasks]
for c in cp:
    c["duex"] = 1
print(cp[0]["duex"])
import copy
dc = copy.deepcopy(tasks)
dc[0]["idx"] = 9
print(dc[0]["idx"])
q = {k: v for k, v in tasks[0].items()}
q["tag"] = 3
print(q["tag"])
z = dict(zip(tasks[0].keys(), tasks[0].values()))
z["owners"] = []
print(z["owners"])
