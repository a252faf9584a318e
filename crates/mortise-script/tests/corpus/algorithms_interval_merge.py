intervals = [(1, 4), (3, 6), (8, 10), (9, 12), (20, 21), (12, 13)]
merged = []
for start, end in sorted(intervals):
    if merged and start <= merged[-1][1]:
        merged[-1][1] = max(merged[-1][1], end)
    else:
        merged.append([start, end])
print(merged, sum(e - s for s, e in merged))
free = [(a[1], b[0]) for a, b in zip(merged, merged[1:])]
print(free)
