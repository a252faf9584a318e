xs = [5, 3, 8, 1]
xs[1:3] = [30, 31, 32]
xs.insert(0, 9)
print(xs, xs[::-1], xs[-2:], xs.index(31), sorted(xs)[len(xs) // 2], sum(xs[::2]), [*xs, *"ab"][-3:])
a, *middle, b = xs
print(a, middle, b, [x for x in xs if x % 2], [[i * j for j in range(3)] for i in range(3)])
del xs[0], xs[-1]
ys = xs.copy()
ys.sort(reverse=True)
print(xs, ys, xs == ys[::-1], any(x > 31 for x in xs), all(xs), list(enumerate("ab", 1)), list(zip("abc", [1, 2])))
try:
    list(zip("abc", [1, 2], strict=True))
except ValueError as e:
    print(e)
from collections import deque
q = deque(range(5), maxlen=3)
q.appendleft(9)
q.rotate(1)
print(q, list(range(10, 0, -3)), [0] * 3 + [1], tuple("ab") + ("c",), [1, 2] < [1, 3])
