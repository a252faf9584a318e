from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo
import calendar
from collections import defaultdict
orders = []
cursor = None
while True:
    kwargs = {"limit": 100}
    if cursor:
        kwargs["cursor"] = cursor
    page = await mcp__inventory__list_orders(**kwargs)
    orders += page["orders"]
    cursor = page.get("next_cursor")
    if not cursor:
        break
per_day = defaultdict(list)
for o in orders:
    placed = datetime.strptime(o["placed_at"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    o["placed"] = placed
    per_day[placed.date()].append(o)
days = sorted(per_day)
span = (days[-1] - days[0]).days + 1
print(f"{len(orders)} orders over {span} days")
for i in range(min(span, 3)):
    d = days[0] + timedelta(days=i)
    print(d.isoformat(), calendar.day_name[d.weekday()], sum(o["total_cents"] for o in per_day.get(d, [])))
latest = max(orders, key=lambda o: o["placed"])
print(latest["id"], f"{latest['placed']:%d %b %Y}", (latest["placed"] - orders[0]["placed"]).total_seconds() > 0)
q = (days[0].month - 1) // 3 + 1
print(f"Q{q}", date(2026, 1, 1) <= days[0])
