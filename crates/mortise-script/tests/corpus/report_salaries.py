from statistics import mean, median
people = await mcp__hr__people()
teams = {}
for p in people:
    teams.setdefault(p["team"], []).append(p["salary"])
print(f"{'team':<8}{'n':>3}{'mean':>12}{'median':>12}{'spread':>10}")
for team, pay in sorted(teams.items(), key=lambda t: -mean(t[1])):
    print(f"{team:<8}{len(pay):>3}{mean(pay):>12,.0f}{median(pay):>12,.0f}{max(pay) - min(pay):>10,}")
top = sorted(people, key=lambda p: p["salary"], reverse=True)[:3]
print("top:", ", ".join(f"{p['name']} {p['salary'] // 1000}k" for p in top))
