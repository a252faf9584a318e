s = "  Hello, World  "
print(repr(s.strip()), s.lower().split(","), s.replace("l", "L", 2), s.find("World"), s.count("o"), s.strip().partition(", "))
print("a-b-c".rsplit("-", 1), "x".join("abc"), "abc".zfill(5), "Title case here".title(), "camelCase".swapcase(), "tab\tx".expandtabs(4))
print("abc" * 2, "b" in "abc", "abc"[::-1], "abc".startswith(("x", "a")), "file.tar.gz".removesuffix(".gz"), "a,b;c".replace(";", ",").split(","))
print("line1\nline2\r\nline3".splitlines(), "ab\\n\t'\"", r"raw\n", "\u00e9\x41\N{EURO SIGN}", "é".encode(), b"\xc3\xa9".decode(), b"ab" + bytes([99]))
print("3.14".replace(".", "").isdigit(), "abc".isalpha(), "A1".isalnum(), " ".isspace(), "½".isnumeric(), ord("a"), chr(8364), ascii("é"))
