w = await mcp__weather__process_csv(csv_data="a,b\n1,2\n")
for col in w["columns"]:
    n = col.get("numbers")
    if n:
        print(col["name"], n["mean"])
    nums = col.get("numbers") or {}
    print(nums.get("mean"), nums.get("min"))
    if col["kind"] == "number":
        print(col["numbers"]["mean"])
    print(col["numbers"] and col["numbers"]["mean"])
