from collections import Counter
def step(cells):
    near = Counter((x + dx, y + dy) for x, y in cells for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)
    return {c for c, n in near.items() if n == 3 or (n == 2 and c in cells)}
glider = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}
cells = glider
for _ in range(8):
    cells = step(cells)
print(sorted(cells), cells == {(x + 2, y + 2) for x, y in glider})
for y in range(5):
    print("".join("#" if (x, y) in cells else "." for x in range(5)))
