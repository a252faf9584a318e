import logging, sys, json, os
from pprint import pprint
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(levelname)s %(message)s")
log = logging.getLogger(__name__)
log.info("start")
try:
    r = await mcp__weather__get_weather(city="Paris")
except ToolError as e:
    log.warning("failed: %s", e)
    r = None
if r is None:
    r = await mcp__weather__get_weather(city="Berlin")
log.info("%s %s", r["city"], r["temperature"])
pprint({"a": [r["humidity"]] * 3, "b": r["wind"]})
print(json.dumps(r, indent=2, sort_keys=True, ensure_ascii=False), file=sys.stdout)
print(os.environ.get("HOME", "?") is not None, os.path.join("a", "b"))
sys.stdout.write(f"{r['city']:^20}|\n")
if not r:
    sys.exit(1)
