import unicodedata
for c in await mcp__shop__customers():
    name = c["name"]
    plain = "".join(ch for ch in unicodedata.normalize("NFKD", name) if not unicodedata.combining(ch))
    print(name, plain, len(name), len(name.encode()), name.casefold(), name.upper())
print("ß".upper(), "İ".lower().encode("unicode_escape"), [unicodedata.name(c) for c in "é€😀"])
print("naïve café"[::-1], sorted(["Zoë", "zebra", "Äpfel", "apple"]), "😀".encode("utf-16-le").hex())
