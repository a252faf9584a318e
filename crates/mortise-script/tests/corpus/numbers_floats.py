import math
print(0.1 + 0.2, round(2.675, 2), round(0.5), round(1.5), round(2.5), round(-1.25, 1), round(1234.5678, -2))
print(1e16, 1e-7, 123456789.123456789, 1 / 3, float("inf"), -float("inf"), 5e-324, 1.7976931348623157e308)
print(math.isclose(0.1 + 0.2, 0.3), math.fsum([0.1] * 10), sum([0.1] * 3), math.floor(-1.5), math.ceil(-1.5), math.trunc(-1.5))
print(math.sqrt(2), math.hypot(3, 4), math.degrees(math.pi), math.log10(1000), math.log2(8), math.exp(1), math.sin(1))
print((0.5).hex(), (3.75).as_integer_ratio(), float.fromhex("0x1.8p1"), 7.0 // 2, 7.5 % 2, -0.0, 1e22 == 10 ** 22)
print(f"{1e10:g} {1e-5:g} {123456:.3g} {0.00001234:.2e} {1234567.891:,.2f} {0.5:.0%}")
