from dataclasses import dataclass, field

@dataclass
class Item:
    row: dict
    score: float = 0.0
    notes: list[str] = field(default_factory=list)

tasks = (await mcp__board__list_tasks())["tasks"]
items = [Item(row=t) for t in tasks]
for it in items:
    it.row["weight"] = it.row["points"] * 1.5
    it.score = it.row["weight"]
for t in tasks:
    print(t["id"], t["weight"])
print(max(items, key=lambda i: i.score).row["title"])
