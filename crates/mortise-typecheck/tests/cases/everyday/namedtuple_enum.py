from collections import namedtuple
from enum import Enum, IntEnum
from typing import NamedTuple

class Priority(IntEnum):
    low = 0
    normal = 1
    high = 2
    urgent = 3

class Status(str, Enum):
    OPEN = "open"
    CLOSED = "closed"

class Row(NamedTuple):
    id: str
    title: str
    priority: Priority
    age: int = 0

Pair = namedtuple("Pair", "assignee count")
page = await mcp__tickets__list_tickets(status=Status.OPEN.value, limit=100)
rows = [Row(t["id"], t["title"], Priority[t["priority"]]) for t in page["tickets"]]
rows.sort(key=lambda r: (-r.priority, r.id))
for r in rows[:5]:
    print(r.id, r.priority.name, r.title)
counts = {}
for t in page["tickets"]:
    counts[t["assignee"]] = counts.get(t["assignee"], 0) + 1
pairs = sorted((Pair(a or "-", n) for a, n in counts.items()), key=lambda p: p.count, reverse=True)
print(pairs[0].assignee, pairs[0].count, rows[0]._replace(age=3)._asdict()["age"])
urgent = [r for r in rows if r.priority >= Priority.high]
print(len(urgent))
