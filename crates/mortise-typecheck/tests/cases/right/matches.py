found = (await mcp__crm__find(id=1))["found"]
match found:
    case {"kind": "person", "first_name": name}:
        print(name)
    case {"legal": name}:
        print(name)
    case _:
        print("?")
