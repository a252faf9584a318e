import re
pattern = re.compile(r"""
    (?P<sign>[-+])?        # sign
    (?P<whole>\d{1,3}(?:,\d{3})*|\d+)
    (?:\.(?P<cents>\d{2}))?""", re.X)
for s in ("1,234.50", "-99", "+1,000,000", "12,34", "abc"):
    m = pattern.fullmatch(s)
    print(s, m.groupdict() if m else None)
print(re.split(r"\s*[,;]\s*", "a , b;c,d"), re.sub(r"(\w+) (\w+)", r"\2 \1", "hello world"))
print(re.sub(r"\d+", lambda m: str(int(m[0]) * 2), "3 apples and 14 pears"))
print([m.span() for m in re.finditer("a(?=b)", "abaabab")], re.escape("a.b*c"))
