from datetime import datetime
from itertools import combinations
events = [(e["title"], datetime.fromisoformat(e["start"]), datetime.fromisoformat(e["end"]), set(e["attendees"]))
          for e in await mcp__calendar__events()]
for (a, sa, ea, pa), (b, sb, eb, pb) in combinations(events, 2):
    if sa < eb and sb < ea:
        print(a, "overlaps", b, "for", min(ea, eb) - max(sa, sb), sorted(pa & pb))
print(sum((e - s).total_seconds() for _, s, e, _ in events) / 3600, "hours")
