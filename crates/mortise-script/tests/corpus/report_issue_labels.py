import asyncio
from collections import defaultdict
pages = await asyncio.gather(*(mcp__tracker__issues(page=n) for n in (1, 2, 3)))
issues = [i for p in pages for i in p["items"]]
labels = defaultdict(lambda: {"open": 0, "closed": 0})
for i in issues:
    for label in i["labels"] or ["(none)"]:
        labels[label][i["state"]] += 1
for label, n in sorted(labels.items(), key=lambda kv: (-sum(kv[1].values()), kv[0])):
    bar = "█" * n["closed"] + "░" * n["open"]
    print(f"{label:<18}{bar}")
print(sum(i["comments"] for i in issues), {a or "nobody": sum(i["assignee"] == a for i in issues) for a in ("ada", "bob", "cleo", None)})
