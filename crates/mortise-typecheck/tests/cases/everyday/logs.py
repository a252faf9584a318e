import logging, traceback, time, random
logging.basicConfig(level=logging.INFO)
log = logging.getLogger(__name__)
t0 = time.perf_counter()
try:
    w = await mcp__weather__get_weather(city="Oslo")
    log.info("got %s", w["city"])
    assert w["temperature"] is not None
except (KeyError, TypeError, ToolError) as e:
    traceback.print_exc()
else:
    print("fine", w["city"])
finally:
    print("done", time.perf_counter() - t0 > 0)
