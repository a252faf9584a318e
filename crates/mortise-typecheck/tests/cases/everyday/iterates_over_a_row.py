w = await mcp__weather__get_weather(city="Oslo")
for k, v in w.items():
    print(k, v)
for k in w:
    print(k, w[k])
print({k: v for k, v in w.items() if isinstance(v, (int, float))})
print(sorted(w.keys()), list(w.values())[0], len(w))
nums = {k: float(v) for k, v in w.items() if isinstance(v, (int, float)) and not isinstance(v, bool)}
print(max(nums, key=nums.get))
