for n in (0, 5, 255, 4096):
    print(f"{n:>6} {n:b} {n:o} {n:X} {bin(n)} {hex(n)} {n.bit_length()} {bin(n).count('1')}")
flags = 0
for bit in (1, 3, 4):
    flags |= 1 << bit
print(flags, flags & ~(1 << 3), flags ^ 0b11111, flags >> 2, -1 >> 1, ~7)
print("".join(format(b, "08b") for b in b"Hi"), bytes(int(x, 16) for x in "48 69".split()))
