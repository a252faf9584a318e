import asyncio
from itertools import islice
def batched(items, n):
    it = iter(items)
    while batch := list(islice(it, n)):
        yield batch
total = 0
for number, batch in enumerate(batched(range(1, 24), 10), 1):
    got = await asyncio.gather(*(mcp__echo__echo(n=n) for n in batch))
    total += sum(g["n"] for g in got)
    print("batch", number, len(got))
print(total)
