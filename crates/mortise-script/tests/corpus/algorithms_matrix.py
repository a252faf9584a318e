def multiply(a, b):
    return [[sum(x * y for x, y in zip(row, col)) for col in zip(*b)] for row in a]
def power(m, n):
    result = [[int(i == j) for j in range(len(m))] for i in range(len(m))]
    while n:
        if n & 1:
            result = multiply(result, m)
        m, n = multiply(m, m), n >> 1
    return result
print(power([[1, 1], [1, 0]], 100)[0][1], list(map(list, zip(*[[1, 2, 3], [4, 5, 6]]))))
def determinant(m):
    if len(m) == 1:
        return m[0][0]
    return sum((-1) ** j * m[0][j] * determinant([r[:j] + r[j + 1:] for r in m[1:]]) for j in range(len(m)))
print(determinant([[2, 0, 1], [1, 3, 2], [1, 1, 1]]))
