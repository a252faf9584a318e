rows = await mcp__shop__products(category="electronics")
headers = ["sku", "name", "price", "stock"]
widths = [max(len(h), *(len(str(r[h])) for r in rows)) for h in headers]
line = lambda cells: "| " + " | ".join(str(c).ljust(w) for c, w in zip(cells, widths)) + " |"
print(line(headers))
print("|" + "|".join("-" * (w + 2) for w in widths) + "|")
for r in rows:
    print(line([r[h] for h in headers]))
