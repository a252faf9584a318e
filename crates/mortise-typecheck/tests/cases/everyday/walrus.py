cursor = ""
n = 0
while (page := await mcp__inventory__list_orders(limit=10, **({"cursor": cursor} if cursor else {}))):
    n += len(page["orders"])
    if not (cursor := page.get("next_cursor")):
        break
print(n)
if (first := next((o for o in page["orders"] if o["status"] == "shipped"), None)) is not None:
    print(first["id"], first["total_cents"] / 100)
