grid = [list(r) for r in ("..#....", ".##.##.", "....#..", "###.#.#", "...#...")]
def fill(y, x):
    stack, size = [(y, x)], 0
    while stack:
        y, x = stack.pop()
        if 0 <= y < len(grid) and 0 <= x < len(grid[0]) and grid[y][x] == ".":
            grid[y][x] = "o"
            size += 1
            stack += [(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)]
    return size
sizes = [fill(y, x) for y in range(len(grid)) for x in range(len(grid[0])) if grid[y][x] == "."]
print(sorted(sizes, reverse=True))
print("\n".join("".join(r) for r in grid))
