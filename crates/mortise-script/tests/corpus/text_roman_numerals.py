def to_roman(n):
    out = ""
    for value, symbol in ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        count, n = divmod(n, value)
        out += symbol * count
    return out
def from_roman(s):
    values = dict(zip("IVXLCDM", (1, 5, 10, 50, 100, 500, 1000)))
    numbers = [values[c] for c in s]
    return sum(-a if a < b else a for a, b in zip(numbers, numbers[1:] + [0]))
for n in (1, 4, 9, 14, 40, 90, 400, 1994, 2026, 3999):
    assert from_roman(to_roman(n)) == n
    print(n, to_roman(n))
