ids = [1, 2, 99, 3, 77]
good, bad = [], {}
for i in ids:
    try:
        good.append((await mcp__shop__customer(id=i))["name"])
    except ToolError as e:
        bad[i] = str(e)
print(good)
for i, text in bad.items():
    print(i, "->", text)
