found = (await mcp__crm__find(id=1))["found"]
if found is None:
    print("none")
elif found["kind"] == "person":
    print(found["first_name"])
else:
    print(found["legal_name"])
