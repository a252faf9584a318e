from datetime import date
def quarter(d):
    return f"{d.year}-Q{(d.month - 1) // 3 + 1}"
totals = {}
for o in await mcp__shop__orders():
    q = quarter(date.fromisoformat(o["date"]))
    totals.setdefault(q, []).append(o["id"])
for q in sorted(totals):
    print(q, len(totals[q]), sorted(totals[q])[:3])
