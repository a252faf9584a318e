from collections import defaultdict
tasks = (await mcp__board__list_tasks())["tasks"]
index = defaultdict(dict)
for t in tasks:
    index[t["id"]] = t
for rank, tid in enumerate(sorted(index), 1):
    index[tid]["rank"] = rank
print([(t["id"], t["rank"]) for t in tasks])
