from enum import Enum
from collections import namedtuple, OrderedDict, deque
from typing import NamedTuple
class S(str, Enum):
    OPEN = "open"
    CLOSED = "closed"
ts = (await mcp__tickets__list_tickets(status=S.OPEN.value))["tickets"]
T = namedtuple("T", "id title")
class P(NamedTuple):
    id: str
    n: int
print([T(t["id"], t["title"]).title for t in ts][:1], [P(t["id"], t["comment_count"]).n for t in ts][:1])
for st in ("open", "closed"):
    print(st, len((await mcp__tickets__list_tickets(status=st))["tickets"]))
for st in S:
    print(st.name)
q = deque(ts, maxlen=3)
print(q.popleft()["id"])
