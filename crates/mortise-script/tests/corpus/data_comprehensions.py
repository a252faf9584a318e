rows = await mcp__hr__people()
print([r["name"] for r in rows if r["salary"] > 120_000])
print({r["team"]: [x["name"] for x in rows if x["team"] == r["team"]] for r in rows if r["team"] in ("core", "ops")})
print(sorted({r["hired"][:4] for r in rows}), sum(r["salary"] for r in rows) // len(rows))
print([(x, y) for x in range(3) for y in range(x) if (x + y) % 2], [y := 1, y ** 2], list(x * x for x in range(4)))
names = [n for r in rows if (n := r["name"].lower()) > "o"]
print(names, next((r["id"] for r in rows if r["team"] == "sales"), None))
