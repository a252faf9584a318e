from collections import Counter
orders = await mcp__shop__orders()
print(Counter(o["status"] for o in orders).most_common())
notes = Counter(repr(o["note"]) for o in orders)
for note, n in sorted(notes.items()):
    print(note, n)
