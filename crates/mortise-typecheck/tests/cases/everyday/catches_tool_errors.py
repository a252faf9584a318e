try:
    r = await mcp__tickets__get_ticket(id="T-99999")
    title = r["ticket"]["title"]
except ToolError as e:
    title = f"missing: {e}"
except Exception as e:
    print(type(e).__name__, e)
    raise
print(title)
results = {}
for tid in ("T-101", "T-0"):
    try:
        results[tid] = (await mcp__tickets__get_ticket(id=tid))["ticket"]
    except Exception as e:
        results[tid] = {"error": str(e)}
for k, v in results.items():
    if "error" in v:
        print(k, v["error"][:10])
    else:
        print(k, v["title"])
