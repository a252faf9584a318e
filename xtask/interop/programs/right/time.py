"""Right programs over mcp-server-time: declared objects, one inside the other."""

#: one conversion
noon = await mcp__time__convert_time(source_timezone="Europe/Berlin", time="12:30", target_timezone="Asia/Tokyo")
print(noon["source"]["timezone"], noon["target"]["timezone"], noon["time_difference"])

#: a timestamp read with the standard library
from datetime import datetime
result = await mcp__time__convert_time(source_timezone="UTC", time="06:00", target_timezone="Asia/Kolkata")
moment = datetime.fromisoformat(result["target"]["datetime"])
print(moment.strftime("%H:%M"), moment.utcoffset())

#: several zones at once, sorted by offset
import asyncio
ZONES = ["America/New_York", "Asia/Tokyo", "Africa/Nairobi"]
results = await asyncio.gather(
    *(mcp__time__convert_time(source_timezone="UTC", time="12:00", target_timezone=zone) for zone in ZONES)
)
for result in sorted(results, key=lambda result: float(result["time_difference"].rstrip("h"))):
    print(f'{result["target"]["timezone"]:<20}{result["target"]["datetime"][11:16]:>6}')

#: a helper with annotations
async def offset(zone: str) -> float:
    answer = await mcp__time__convert_time(source_timezone="UTC", time="00:00", target_timezone=zone)
    return float(answer["time_difference"].removesuffix("h"))

print({zone: await offset(zone) for zone in ("Asia/Tokyo", "Asia/Kathmandu")})

#: an unknown zone is caught and named
try:
    await mcp__time__get_current_time(timezone="Mars/Olympus")
except ToolError as error:
    print(error.kind, error.tool, "Mars/Olympus" in error.message)

#: a fallback after an error
async def zone_or_utc(zone):
    try:
        return (await mcp__time__get_current_time(timezone=zone))["timezone"]
    except ToolError:
        return (await mcp__time__get_current_time(timezone="UTC"))["timezone"]

print(await zone_or_utc("Nowhere/At_All"), await zone_or_utc("Asia/Tokyo"))

#: the type of every field
now = await mcp__time__get_current_time(timezone="UTC")
print({key: type(value).__name__ for key, value in sorted(now.items())})

#: today is a day of the week
import calendar
now = await mcp__time__get_current_time(timezone="Asia/Tokyo")
print(now["day_of_week"] in calendar.day_name, now["timezone"].partition("/"))

#: gather that keeps errors as values
import asyncio
answers = await asyncio.gather(
    mcp__time__get_current_time(timezone="UTC"),
    mcp__time__get_current_time(timezone="Not/There"),
    return_exceptions=True,
)
print([type(answer).__name__ for answer in answers])

#: a table of hours, built with string methods
rows = []
for hour in ("06:00", "12:00", "18:00"):
    result = await mcp__time__convert_time(source_timezone="UTC", time=hour, target_timezone="Asia/Kolkata")
    rows.append([hour, result["target"]["datetime"].split("T")[1][:5]])
print("\n".join(" | ".join(row) for row in [["UTC", "Kolkata"], *rows]))

#: a class that remembers what it asked
class Clock:
    def __init__(self, home: str) -> None:
        self.home = home
        self.asked: list[str] = []

    async def difference(self, zone: str) -> str:
        self.asked.append(zone)
        answer = await mcp__time__convert_time(source_timezone=self.home, time="09:00", target_timezone=zone)
        return answer["time_difference"]

clock = Clock("UTC")
print([await clock.difference(zone) for zone in ("Asia/Tokyo", "UTC")], clock.asked)

#: a bad time of day
for time in ("09:15", "25:61"):
    try:
        answer = await mcp__time__convert_time(source_timezone="UTC", time=time, target_timezone="Asia/Tokyo")
        print(time, "→", answer["target"]["datetime"][11:16])
    except ToolError as error:
        print(time, "refused:", error.message)

#: the whole answer as JSON without its date
import json
answer = await mcp__time__convert_time(source_timezone="Asia/Tokyo", time="23:30", target_timezone="Asia/Kolkata")
for side in ("source", "target"):
    moment = answer["source"] if side == "source" else answer["target"]
    print(side, json.dumps({"zone": moment["timezone"], "dst": moment["is_dst"]}, sort_keys=True))

#: an asynchronous generator over zones
async def conversions(*zones):
    for zone in zones:
        yield zone, await mcp__time__convert_time(source_timezone="UTC", time="10:00", target_timezone=zone)

async for zone, answer in conversions("Africa/Lagos", "Asia/Tokyo"):
    print(zone, answer["time_difference"])
