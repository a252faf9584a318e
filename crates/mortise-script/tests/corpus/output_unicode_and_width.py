for c in await mcp__shop__customers():
    print(f"{c['name']:·<14}|{c['country']:^4}|{'★' if c['vip'] else '☆'}")
print("→ ✓ 日本語 עברית 😀👩‍👩‍👧", "\u2028" in "a\u2028b", len("👩‍👩‍👧"))
print("tab\there", "back\\slash", "nul:\x00:", repr("\x7f\x85\xad"))
