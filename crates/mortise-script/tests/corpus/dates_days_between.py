from datetime import date, timedelta
orders = sorted(await mcp__shop__orders(), key=lambda o: (o["date"], o["id"]))
days = [date.fromisoformat(o["date"]) for o in orders]
gaps = [(b - a).days for a, b in zip(days, days[1:])]
print(max(gaps), min(gaps), sum(gaps), days[-1] - days[0])
print((days[0] + timedelta(weeks=2)).strftime("%A, %d %B %Y"), days[0].isocalendar()[:2])
