p = await mcp__board__profile(user="u")
print(p["user"], p["settings"]["theme"], p["stats"]["visits"])
print(p["settings"].get("language", "en"))
for k, v in p["settings"].items():
    print(k, v.upper())
for name, value in p["stats"].items():
    print(name, value)
flat = {f"stats_{k}": v for k, v in p["stats"].items()}
flat["user"] = p["user"]
print(flat["stats_visits"], flat["user"])
