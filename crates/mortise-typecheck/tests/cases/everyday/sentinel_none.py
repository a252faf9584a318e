best = None
for t in (await mcp__board__list_tasks())["tasks"]:
    if best is None or t["points"] > best["points"]:
        best = t
print(best["title"] if best else "none", best["points"])
first = next((t for t in (await mcp__board__list_tasks())["tasks"] if t["status"] == "done"), None)
print(first["id"])
owner = first["owner"]
print((first["owner"] or {}).get("name", "nobody"))
print(first["owner"]["name"] if first["owner"] else "nobody")
print(owner and owner["name"])
names = {t["owner"]["name"] for t in (await mcp__board__list_tasks())["tasks"] if t["owner"]}
print(sorted(names))
names2 = [o["name"] for t in (await mcp__board__list_tasks())["tasks"] if (o := t["owner"]) is not None]
print(names2)
by_owner = {}
for t in (await mcp__board__list_tasks())["tasks"]:
    who = t["owner"]["name"] if t["owner"] is not None else "nobody"
    by_owner.setdefault(who, []).append(t["points"])
print({k: sum(v) for k, v in by_owner.items()})
