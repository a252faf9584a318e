from datetime import datetime
page, ages = 1, []
while page:
    r = await mcp__tracker__issues(page=page)
    for i in r["items"]:
        if i["closed_at"]:
            opened = datetime.strptime(i["created_at"], "%Y-%m-%dT%H:%M:%SZ")
            closed = datetime.strptime(i["closed_at"], "%Y-%m-%dT%H:%M:%SZ")
            ages.append((closed - opened, i["number"]))
    page = r["next"]
ages.sort()
print(len(ages), "closed; fastest", ages[0], "slowest", ages[-1][0])
