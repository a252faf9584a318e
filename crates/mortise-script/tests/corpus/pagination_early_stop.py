async def pages():
    page = 1
    while page:
        r = await mcp__tracker__issues(page=page)
        print("page", r["page"])
        yield r["items"]
        page = r["next"]
found = None
async for items in pages():
    found = next((i for i in items if i["comments"] >= 12), None)
    if found:
        break
print(found["number"], found["title"]) if found else print("none")
