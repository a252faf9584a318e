import sys
if sys.version_info >= (3, 12):
    from itertools import batched
else:
    def batched(it, n):
        it = list(it)
        return [tuple(it[i:i+n]) for i in range(0, len(it), n)]
try:
    from tqdm import tqdm
except ImportError:
    tqdm = lambda x, **k: x
try:
    import orjson as json
except ModuleNotFoundError:
    import json
DEBUG = False
if DEBUG:
    verbose = print
def log(*a):
    if DEBUG:
        verbose(*a)
for chunk in tqdm(batched([p["name"] for p in (await mcp__inventory__list_products())["products"]], 4), desc="x"):
    log(chunk)
    print(len(chunk), chunk[0])
for attempt in range(3):
    try:
        result = await mcp__inventory__get_product(product_id=f"P-0{attempt + 1}")
        break
    except ToolError:
        continue
else:
    result = None
print(result["name"] if result else None, attempt)
with open("/tmp/x.txt", "w") if False else __import__("io").StringIO() as fh:
    fh.write(json.dumps(result))
    print(len(fh.getvalue()) > 10)
del result
result = 5
print(result)
