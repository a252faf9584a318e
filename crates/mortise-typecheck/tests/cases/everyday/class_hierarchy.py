from abc import ABC, abstractmethod
from functools import cached_property, singledispatchmethod, total_ordering
class Source(ABC):
    registry = {}
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        Source.registry[cls.__name__.lower()] = cls
    @abstractmethod
    async def load(self): ...
    async def show(self):
        for line in await self.load():
            print(" -", line)
class Weather(Source):
    def __init__(self, *cities): self.cities = cities
    async def load(self):
        out = []
        for c in self.cities:
            w = await mcp__weather__get_weather(city=c)
            out.append(f"{w['city']} {w['temperature']['celsius']}")
        return out
class Prices(Source):
    def __init__(self, ticker): self.ticker = ticker
    async def load(self):
        page = await mcp__financial_data__get_price_history(ticker=self.ticker, limit=2)
        return [f"{p['date']} {p['close']}" for p in page["prices"]]
@total_ordering
class Version:
    __slots__ = ("n",)
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o): return self.n < o.n
for s in (Weather("Oslo", "Lima"), Prices("AAPL")):
    await s.show()
print(sorted(Source.registry), max(Version(1), Version(3)).n)
cls = Source.registry["weather"]
await cls("Cairo").show()
