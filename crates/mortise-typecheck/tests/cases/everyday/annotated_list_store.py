from typing import Any, Dict, List
page = await mcp__board__list_tasks()
tasks: List[Dict[str, Any]] = page["tasks"]
for i, t in enumerate(tasks):
    t["rank"] = i
    t["is_late"] = t["due"] < "2026-01-05"
late = [t for t in page["tasks"] if t["is_late"]]
for t in sorted(late, key=lambda x: x["rank"]):
    print(t["rank"], t["title"])
