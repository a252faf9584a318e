from collections import defaultdict
page = await mcp__crm__customers()
by_city = defaultdict(list)
for customer in page["customers"]:
    by_city[customer.get("city", "?")].append(customer)
for city, group in sorted(by_city.items()):
    print(city, sum(order["amount"] for c in group for order in c["orders"]), group[0]["parent"])
