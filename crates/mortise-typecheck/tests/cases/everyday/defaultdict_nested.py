from collections import defaultdict, Counter, OrderedDict
stats = defaultdict(lambda: {"count": 0, "points": 0, "titles": []})
nested = defaultdict(lambda: defaultdict(int))
for t in (await mcp__board__list_tasks())["tasks"]:
    s = stats[t["status"]]
    s["count"] += 1
    s["points"] += t["points"]
    s["titles"].append(t["title"])
    for tag in t["tags"]:
        nested[tag][t["status"]] += 1
for status, s in sorted(stats.items(), key=lambda kv: kv[1]["points"], reverse=True):
    print(f"{status}: {s['count']} tasks, {s['points']} pts, avg {s['points'] / s['count']:.1f}, first {s['titles'][0]}")
print({k: dict(v) for k, v in nested.items()})
c = Counter()
for t in (await mcp__board__list_tasks())["tasks"]:
    c.update(t["tags"])
    c[t["status"]] += t["points"]
print(c.most_common(2), c["nothing"])
od = OrderedDict(sorted(c.items()))
od.move_to_end("a")
print(list(od))
