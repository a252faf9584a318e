import asyncio, math
def work(n):
    return math.factorial(n) % 1_000_003
print(await asyncio.gather(*(asyncio.to_thread(work, n) for n in (10, 20, 30))))
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(max_workers=2) as pool:
    print(list(pool.map(work, [5, 6, 7])), pool.submit(pow, 2, 10).result())
