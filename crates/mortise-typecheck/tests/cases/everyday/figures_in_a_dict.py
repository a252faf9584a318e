stats = {"total": 0, "names": [], "by": {}, "max": None}
for o in (await mcp__inventory__list_orders())["orders"]:
    stats["total"] += o["total_cents"]
    stats["names"].append(o["id"])
    stats["by"][o["status"]] = stats["by"].get(o["status"], 0) + 1
    if stats["max"] is None or o["total_cents"] > stats["max"]:
        stats["max"] = o["total_cents"]
print(stats["total"] / 100, len(stats["names"]), stats["by"], stats["max"] + 1)
