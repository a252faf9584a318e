ps = (await mcp__inventory__list_products())["products"]
cats = {p["category"] for p in ps}
ordered = {i["product_id"] for o in (await mcp__inventory__list_orders())["orders"] for i in o["items"]}
never = [p for p in ps if p["id"] not in ordered]
print(cats, len(never), [n["name"] for n in never])
idx = {c: i for i, c in enumerate(sorted(cats))}
print(idx[ps[0]["category"]])
