# Dataclasses, an enum and a formatted table: ordinary Python over one tool.
import asyncio
from dataclasses import dataclass
from enum import Enum


class Feel(Enum):
    COLD = "cold"
    MILD = "mild"
    HOT = "hot"


@dataclass(order=True)
class Report:
    celsius: float
    city: str

    @property
    def feel(self):
        return Feel.COLD if self.celsius < 10 else Feel.MILD if self.celsius < 25 else Feel.HOT


async def report(city):
    weather = await mcp__weather__get_weather(city=city)
    return Report(weather["temperature"]["celsius"], city)


CITIES = ["Berlin", "Cairo", "Lima", "Oslo", "Wellington"]
for entry in sorted(await asyncio.gather(*map(report, CITIES)), reverse=True):
    print(f"{entry.city:<12}{entry.celsius:>6.1f} °C  {entry.feel.value}")
