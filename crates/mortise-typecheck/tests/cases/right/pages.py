cursor = None
customers = []
while True:
    page = await mcp__crm__customers(city="Oslo", cursor=cursor)
    customers.extend(page["customers"])
    cursor = page["next_cursor"]
    if not cursor:
        break
print(len(customers), customers[0]["orders"][0]["amount"])
