import asyncio
results = await asyncio.gather(*[mcp__weather__get_weather(city=c) for c in ["Oslo", "Nowhere"]], return_exceptions=True)
for r in results:
    if not isinstance(r, dict):
        print("bad", str(r)[:20])
        continue
    print(r["temperature"], r["city"])
ok = [r["city"] for r in results if isinstance(r, dict)]
failed = [str(r) for r in results if not isinstance(r, dict)]
print(ok, len(failed))
