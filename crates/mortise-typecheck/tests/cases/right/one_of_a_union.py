found = (await mcp__crm__find(id=1))["found"]
if found:
    print(found.get("first_name") or found.get("legal_name"))
