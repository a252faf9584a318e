from fractions import Fraction
import math
print(Fraction(1, 3) + Fraction(1, 6), Fraction("0.125"), sum(Fraction(1, n) for n in range(1, 8)), float(Fraction(22, 7)))
print(2 ** 200, -7 // 2, -7 % 3, divmod(-7, 3), pow(3, 100, 1000), math.gcd(84, 30), math.lcm(4, 6), math.isqrt(10 ** 20))
print(0x_ff, 0b1010, 1_000_000, int("zz", 36), (255).bit_length(), (10).to_bytes(2, "big"), int.from_bytes(b"\x01\x00", "little"))
print(math.comb(10, 3), math.perm(5, 2), math.factorial(25), math.prod([1.5, 2, 3]))
