def queens(n, row=0, cols=frozenset(), up=frozenset(), down=frozenset()):
    if row == n:
        return 1
    return sum(queens(n, row + 1, cols | {c}, up | {row + c}, down | {row - c})
               for c in range(n) if c not in cols and row + c not in up and row - c not in down)
print([queens(n) for n in range(1, 7)])
