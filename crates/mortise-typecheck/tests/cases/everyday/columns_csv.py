import csv, io, random
random.seed(7)
data = [{"name": f"n{i}", "score": random.randint(1, 9), "city": random.choice(["Oslo", "Lima"])} for i in range(12)]
buf = io.StringIO()
w = csv.writer(buf, delimiter=";")
w.writerow(data[0].keys())
w.writerows(d.values() for d in data)
r = await mcp__weather__process_csv(csv_data=buf.getvalue(), delimiter=";")
cols = {c["name"]: c for c in r["columns"]}
print(r["row_count"], cols["score"]["kind"], cols["score"]["numbers"]["mean"])
numeric = [c for c in r["columns"] if c["kind"] == "number"]
for c in numeric:
    n = c["numbers"]
    print(c["name"], n["min"], n["max"], n["max"] - n["min"])
    if n:
        print(f"{n['sum'] / c['count']:.2f}")
texts = [c["name"] for c in r["columns"] if c.get("numbers") is None]
print(texts)
by_city = {}
for d in data:
    by_city.setdefault(d["city"], []).append(d["score"])
for city, scores in by_city.items():
    weather = await mcp__weather__get_weather(city=city)
    print(city, sum(scores), weather["temperature"]["celsius"])
