highs = [w["high"] for w in await mcp__weather__daily()]
lo, width = -5, 5
buckets = {}
for h in highs:
    b = int((h - lo) // width)
    buckets[b] = buckets.get(b, 0) + 1
for b in range(max(buckets) + 1):
    print(f"{lo + b * width:>4}..{lo + (b + 1) * width:<4} {'#' * buckets.get(b, 0)}")
