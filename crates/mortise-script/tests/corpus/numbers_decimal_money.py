from decimal import Decimal, ROUND_HALF_UP, getcontext
balance = {}
cursor = None
while True:
    page = await mcp__bank__transactions(**({"cursor": cursor} if cursor else {}))
    for row in page["items"]:
        balance[row["currency"]] = balance.get(row["currency"], Decimal(0)) + Decimal(row["amount"])
    if not (cursor := page["nextCursor"]):
        break
for currency, amount in sorted(balance.items()):
    print(currency, amount, amount.quantize(Decimal("1"), ROUND_HALF_UP), f"{amount:,.1f}")
print(Decimal("0.1") + Decimal("0.2"), Decimal(1) / Decimal(7), getcontext().prec)
