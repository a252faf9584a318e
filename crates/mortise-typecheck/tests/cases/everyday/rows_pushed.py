import bisect
from collections import deque

page = await mcp__board__list_tasks()
queue = deque(page["tasks"])
queue.appendleft({"id": "START", "label": "begin"})
print(queue.popleft()["label"])
rows = sorted(page["tasks"], key=lambda task: task["points"], reverse=1)
bisect.insort(rows, {"id": "new", "points": 3, "memo": "own"}, key=lambda row: row["points"])
print([row["memo"] for row in rows if row["id"] == "new"])
rows[0], rows[1] = {"id": "own", "kind": "x"}, rows[0]
print(rows[0]["kind"])
