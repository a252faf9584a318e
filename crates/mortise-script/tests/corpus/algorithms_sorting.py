import random
def merge_sort(items):
    if len(items) < 2:
        return items
    mid = len(items) // 2
    left, right, out = merge_sort(items[:mid]), merge_sort(items[mid:]), []
    while left and right:
        out.append(left.pop(0) if left[0] <= right[0] else right.pop(0))
    return out + left + right
def quick_sort(items):
    if not items:
        return []
    pivot, *rest = items
    return quick_sort([x for x in rest if x < pivot]) + [pivot] + quick_sort([x for x in rest if x >= pivot])
random.seed(3)
data = [random.randint(0, 1000) for _ in range(200)]
print(merge_sort(data) == quick_sort(data) == sorted(data), data[:5])
words = ["pear", "Apple", "fig", "apple", "Fig"]
print(sorted(words), sorted(words, key=str.lower), sorted(words, key=lambda w: (len(w), w)), sorted(words, reverse=True))
