issues, page = [], 1
while True:
    result = await mcp__tracker__issues(page=page)
    issues += result["items"]
    if result["next"] is None:
        break
    page = result["next"]
print(len(issues), result["total"], page)
print([i["number"] for i in issues if "bug" in i["labels"] and i["state"] == "open"])
