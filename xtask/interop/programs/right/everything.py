"""Right programs over server-everything: a declared object, texts, images and links."""

#: the one declared result
weather = await mcp__everything__get_structured_content(location="Chicago")
print(weather["temperature"], weather["conditions"], weather["humidity"])

#: all cities at once, warmest first
import asyncio
cities = ["New York", "Chicago", "Los Angeles"]
found = await asyncio.gather(*(mcp__everything__get_structured_content(location=city) for city in cities))
for city, weather in sorted(zip(cities, found), key=lambda pair: -pair[1]["temperature"]):
    print(f"{city}: {weather['temperature']:.1f} °C")

#: degrees converted by a helper
def fahrenheit(celsius: float) -> float:
    return celsius * 9 / 5 + 32

weather = await mcp__everything__get_structured_content(location="New York")
print(round(fahrenheit(weather["temperature"]), 1))

#: keys and values of a declared object
weather = await mcp__everything__get_structured_content(location="Los Angeles")
for key, value in sorted(weather.items()):
    print(key, "=", value)

#: an echo is a string
answer = await mcp__everything__echo(message="mortise")
print(answer, len(answer), answer.upper())

#: a number picked out of a sentence
import re
answer = await mcp__everything__get_sum(a=17, b=25)
numbers = [int(found) for found in re.findall(r"-?\d+", answer)]
print(numbers, numbers[-1] == 17 + 25)

#: a running sum through calls
total = 0
for step in range(1, 5):
    text = await mcp__everything__get_sum(a=total, b=step)
    total = int(text.rstrip(".").split()[-1])
print(total)

#: floats as arguments
print(await mcp__everything__get_sum(a=0.5, b=0.25))

#: unicode and quotes pass through
for message in ("“quoted”", "tab\there", "日本語", "a 'b' \"c\""):
    print(await mcp__everything__echo(message=message))

#: an echo that holds JSON is a value
answer = await mcp__everything__echo(message="no json")
print(type(answer).__name__, answer.startswith("Echo"))

#: an annotated message of each kind
for kind in ("error", "success", "debug"):
    print(kind, "→", await mcp__everything__get_annotated_message(messageType=kind))

#: links leave the text as the value
text = await mcp__everything__get_resource_links(count=2)
print(text.splitlines()[0])

#: a short operation
print(await mcp__everything__trigger_long_running_operation(duration=0.1, steps=2))

#: concurrent echoes keep their order
import asyncio
answers = await asyncio.gather(*[mcp__everything__echo(message=str(number)) for number in range(6)])
print([answer.split(": ")[1] for answer in answers])

#: a dataclass filled from a declared object
from dataclasses import dataclass

@dataclass(order=True)
class Weather:
    temperature: float
    conditions: str

async def read(city):
    answer = await mcp__everything__get_structured_content(location=city)
    return Weather(answer["temperature"], answer["conditions"])

print(max([await read("Chicago"), await read("New York")]))

#: a text that is not there raises
try:
    await mcp__everything__get_sum(a=1, b=2)
    raise LookupError("nothing went wrong")
except LookupError as error:
    print(type(error).__name__, error)
