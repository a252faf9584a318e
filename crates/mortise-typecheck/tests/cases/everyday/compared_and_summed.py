from decimal import Decimal
from datetime import timedelta, date
from operator import itemgetter
import statistics
page = await mcp__board__list_tasks()
rows = page["tasks"]
print(sorted(rows, key=lambda row: row["points"])[0]["title"])
print(sorted(rows, key=itemgetter("points"))[0]["title"])
print(sorted([3, 1], key=None), sorted("abc", reverse=True), sorted({"a": 1}))
print(sorted(rows, key=lambda row: (-row["points"], row["title"]))[:3])
print(sorted(["b", "A"], key=str.lower), sorted((1, 2)), sorted(set(["a"]), key=len))
print(max(1, 2), max(1, 2.5), max("a", "b"), max([1, 2], default=None), max(rows, key=lambda row: row["points"])["title"])
print(max(rows, key=lambda row: row["points"], default=None), max(*[1, 2, 3]), min(1, 2, key=lambda x: -x))
best = max(rows, key=lambda row: row["points"], default=None)
if best:
    print(best["title"])
counts = {"a": 1, "b": 2}
print(max(counts, key=counts.get), max(counts, key=lambda name: counts[name]), max(counts.items(), key=lambda item: item[1])[0].upper())
print(sum([1, 2]), sum([1.5, 2]), sum(row["points"] for row in rows) / len(rows), sum(1 for row in rows if row["points"] > 5) > 1)
print(sum([Decimal(1)], Decimal(0)), sum((timedelta(1) for _ in rows), timedelta()), sum([[1], [2]], []), sum([1], start=5))
total = sum(row["points"] for row in rows)
print(f"{total:,.2f} {round(total, 2)} {total / 3:.1f} {int(total)}")
print(min(date(2024, 1, 1), date(2024, 1, 2)), min(row["title"] for row in rows), max(map(len, ["a"])), sum(map(int, ["1"])))
print(sum(x > 1 for x in [1, 2]), sum([True, False]) + 1, sum({1: 2.0}.values()), max(0, total - 5), min(len(rows), 10))
print(sorted(rows, key=lambda row: row.get("status") or ""), sorted(zip([1], ["a"])), sorted(counts.items(), key=lambda kv: kv[1], reverse=True)[0][0].upper())
print(sum(v for v in counts.values() if v), max(len(r) for r in rows), statistics.mean(row["points"] for row in rows))
many = sum(1 for row in rows)
if many > 1:
    print(rows[0]["title"])
