from collections import namedtuple
from typing import NamedTuple
class Row(NamedTuple):
    city: str
    high: float
    low: float = 0.0
    def spread(self):
        return round(self.high - self.low, 1)
rows = [Row(w["city"], w["high"], w["low"]) for w in await mcp__weather__daily(city="Lima")]
widest = max(rows, key=Row.spread)
city, high, low = widest
print(widest, widest.spread(), city, widest._replace(city="X")._asdict(), Row._fields)
P = namedtuple("P", "x y", defaults=[0])
print(P(1), P(y=2, x=1) == (1, 2))
