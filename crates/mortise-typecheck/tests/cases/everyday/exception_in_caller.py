def email(task):
    return task["owner"]["email"]

tasks = (await mcp__board__list_tasks())["tasks"]
emails = []
for t in tasks:
    try:
        emails.append(email(t))
    except Exception:
        emails.append(None)
print(emails)
def safe(fn, default=None):
    try:
        return fn()
    except Exception:
        return default
print([safe(lambda t=t: t["owner"]["email"], "-") for t in tasks])
print([safe(lambda t=t: t["reviewer"]["email"], "-") for t in tasks])
