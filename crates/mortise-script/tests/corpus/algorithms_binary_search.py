import bisect
prices = sorted(p["close"] for p in await mcp__finance__prices())
for target in (150, 200, 405.5):
    i = bisect.bisect_left(prices, target)
    print(target, i, prices[i] if i < len(prices) else None)
def search(items, wanted):
    lo, hi = 0, len(items)
    while lo < hi:
        mid = (lo + hi) // 2
        if items[mid] < wanted:
            lo = mid + 1
        else:
            hi = mid
    return lo if lo < len(items) and items[lo] == wanted else -1
print(all(search(prices, p) == prices.index(p) for p in prices), search(prices, 1.0))
