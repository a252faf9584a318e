from collections import Counter
from datetime import date
import calendar
count = Counter(date.fromisoformat(o["date"]).weekday() for o in await mcp__shop__orders())
for n, name in enumerate(calendar.day_name):
    print(f"{name:<10}{count[n]:>3}")
print(int(calendar.monthrange(2026, 2)[0]), calendar.isleap(2028))
