rows = [r for page in [await mcp__tracker__issues(page=n) for n in (1, 2, 3)] for r in page["items"]]
seen, unique = {}, []
for r in rows:
    key = r["title"].casefold()
    if key in seen:
        seen[key].append(r["number"])
    else:
        seen[key] = [r["number"]]
        unique.append(r)
print(len(rows), len(unique))
for title, numbers in sorted(seen.items()):
    if len(numbers) > 2:
        print(title, numbers)
