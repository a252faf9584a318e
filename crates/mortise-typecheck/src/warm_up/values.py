pairs = dict(zip("ab", [1, 2]))
for key, value in sorted(pairs.items(), key=lambda item: item[1], reverse=True):
    print(f"{key:<10}{value:>8,.2f}", key.upper().strip().split(","), str(value).zfill(3), ", ".join(pairs))
print(sum(value for value in pairs.values()), max(pairs, key=lambda name: pairs[name]), round(1.5, 2))
print([n for n in range(3) if n], any([]), {n: str(n) for n in enumerate([1])}, len(pairs), isinstance(pairs, dict))
try:
    print(pairs["x"], pairs.get("y", 0), list(pairs), tuple(pairs), set(pairs), "a" in pairs)
except (KeyError, ValueError, ToolError) as error:
    print(type(error).__name__, error)
emit({"pairs": pairs})
