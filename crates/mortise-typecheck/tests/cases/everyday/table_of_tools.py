tools = {"orders": mcp__inventory__list_orders, "products": mcp__inventory__list_products, "customers": mcp__inventory__list_customers}
for key, fn in tools.items():
    data = await fn()
    print(key, len(data[key]), data[key][0]["id"])
