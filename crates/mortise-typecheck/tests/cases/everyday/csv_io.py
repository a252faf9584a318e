import csv, io

tickets = (await mcp__tickets__list_tickets(limit=20))["tickets"]
buf = io.StringIO()
writer = csv.DictWriter(buf, fieldnames=["id", "title", "status", "priority", "assignee", "labels"], extrasaction="ignore")
writer.writeheader()
for t in tickets:
    writer.writerow({**t, "labels": "|".join(t["labels"])})
text = buf.getvalue()
report = await mcp__weather__process_csv(csv_data=text)
print(report["row_count"], "rows")
for col in report["columns"]:
    numbers = col.get("numbers")
    extra = f" mean={numbers['mean']:.2f}" if numbers else ""
    print(f"{col['name']:<10} {col['kind']:<8} {col['distinct']:>4}{extra}")
reader = csv.DictReader(io.StringIO(text))
rows = list(reader)
print(rows[0]["id"], len(rows))
rows.sort(key=lambda r: (r["priority"], r["id"]))
print([r["id"] for r in rows[:3]])
