import difflib
a = "one\ntwo\nthree\nfour".splitlines()
b = "one\n2\nthree\nfour\nfive".splitlines()
print("\n".join(difflib.unified_diff(a, b, "old", "new", lineterm="")))
titles = [d["title"] for d in await mcp__docs__search()]
print(difflib.get_close_matches("Instal", titles), round(difflib.SequenceMatcher(None, "kitten", "sitting").ratio(), 4))
