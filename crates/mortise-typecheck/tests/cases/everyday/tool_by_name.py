name = "mcp__weather__get_weather"
w = await globals()[name](city="Oslo")
print(w["temperature"])
print(f"{w['city']}: {w['humidity']:.1f} %, {w.get('conditions', 'n/a')!r}")
print("{city} {temperature}".format(**w))
print("%s %s" % (w["city"], w["temperature"]))
from string import Template
print(Template("$city").substitute(w))
