from decimal import Decimal, ROUND_HALF_UP, getcontext
from fractions import Fraction
import math
people = [("Ann", 170, 65.5), ("Bob", 182, 95), ("Cy", 160, 44.0)]
rows = []
for name, h, w in people:
    r = await mcp__weather__calculate_bmi(height_cm=h, weight_kg=w)
    rows.append({"name": name, **r, "exact": Decimal(str(w)) / (Decimal(h) / 100) ** 2})
for r in sorted(rows, key=lambda r: r["bmi"]):
    exact = r["exact"].quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
    print(f"{r['name']:<5}{r['bmi']:>6.1f} {exact:>7} {r['category']}")
cats = {}
for r in rows:
    cats.setdefault(r["category"], []).append(r["name"])
print(cats)
print(sum(r["bmi"] for r in rows) / len(rows) > 20, Fraction(len(rows), 6), math.isclose(rows[0]["bmi"], 22.7, abs_tol=0.1))
r2 = await mcp__weather__calculate_bmi(height_cm=float("180"), weight_kg=int("80"))
match r2["category"]:
    case "normal" | "overweight":
        print("fine")
    case other:
        print(other)
