tools = await list_callable_tools()
print(len(tools) > 5)
info = await inspect_tool("mcp__weather__get_weather")
print(type(info).__name__)
status = await server_status()
print(bool(status))
names = [t["name"] if isinstance(t, dict) else str(t) for t in (tools["tools"] if isinstance(tools, dict) else tools)] if False else []
print(names)
fn = globals().get("mcp__weather__get_weather")
w = await fn(city="Oslo")
print(w["city"])
for name in ("get_weather", "describe_climate"):
    f = globals()[f"mcp__weather__{name}"]
    r = await f(city="Lima")
    print(r if isinstance(r, str) else r["conditions"])
