import csv, io
out = io.StringIO()
writer = csv.DictWriter(out, fieldnames=["id", "name", "country", "vip"], extrasaction="ignore")
writer.writeheader()
writer.writerows(await mcp__shop__customers())
text = out.getvalue()
print(text.replace("\r\n", "|"))
rows = list(csv.DictReader(io.StringIO(text)))
print(len(rows), rows[2])
