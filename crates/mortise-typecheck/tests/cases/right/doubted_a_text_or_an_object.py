remark = (await mcp__shop__order())["remark"]
if not isinstance(remark, (dict, type(None))):
    print(remark.upper())
