def safe(fn, default=None):
    try:
        return fn()
    except Exception:
        return default
t = await mcp__board__get_task(id="K1")
print(safe(lambda: t["reviewer"]["name"], "-"))
print(safe(lambda: t["owner"]["name"], "-"))
