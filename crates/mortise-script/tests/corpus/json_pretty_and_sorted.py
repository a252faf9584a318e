import json
o = (await mcp__shop__orders())[0]
print(json.dumps(o, indent=2, sort_keys=True))
print(json.dumps({"ü": "é😀", "n": None, "t": True, "f": 1.0, "l": [1, 2]}, separators=(",", ":")))
print(json.dumps("é\n\"", ensure_ascii=False), json.loads('{"a": [1, 2.5, -3e2, null, "\\u00e9"]}'))
try:
    json.loads('{"a": 1,}')
except json.JSONDecodeError as e:
    print(type(e).__name__, e.lineno)
