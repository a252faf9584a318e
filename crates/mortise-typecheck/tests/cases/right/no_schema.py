found = await mcp__notes__search(query="x", page=1)
print(found["anything"]["at"][0].all)
