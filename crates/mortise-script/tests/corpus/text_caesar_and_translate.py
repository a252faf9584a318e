def caesar(s, n):
    out = []
    for ch in s:
        if ch.isalpha() and ch.isascii():
            base = ord("a") if ch.islower() else ord("A")
            ch = chr((ord(ch) - base + n) % 26 + base)
        out.append(ch)
    return "".join(out)
secret = caesar("Meet at Dawn, 06:00!", 7)
print(secret, caesar(secret, -7))
table = str.maketrans("aeiou", "43102", "xyz")
print("lazy fox jumps over exotic zebra".translate(table))
