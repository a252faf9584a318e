orders = (await mcp__inventory__list_orders())["orders"]
for o in orders[:5]:
    match o:
        case {"status": "shipped", "id": oid}:
            print("shipped", oid)
        case {"status": "placed" | "cancelled" as s, "items": [first, *rest]}:
            print(s, first["product_id"], len(rest))
        case _:
            print("other")
    match o["status"]:
        case "placed":
            print("p")
        case other:
            print(other.title())
