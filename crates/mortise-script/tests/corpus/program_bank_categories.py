from decimal import Decimal
rules = [("salary", "income"), ("refund", "income"), ("rent", "home"), ("coffee", "food"), ("grocery", "food")]
def category(text):
    return next((c for word, c in rules if word in text.lower()), "other")
rows, cursor = [], None
while True:
    page = await mcp__bank__transactions(cursor=cursor)
    rows.extend(page["items"])
    cursor = page["nextCursor"]
    if cursor is None:
        break
sums = {}
for r in rows:
    key = (category(r["description"]), r["currency"])
    sums[key] = sums.get(key, Decimal()) + Decimal(r["amount"])
for (c, currency), total in sorted(sums.items()):
    print(f"{c:<8}{currency} {total:>12}")
