import datetime
from dataclasses import dataclass
@dataclass
class Filter:
    field: str
    value: object = None
print(await mcp__echo__echo(a=1, b=2.5, c="é", d=None, e=True, f=[1, [2]], g={"k": {}}))
print(await mcp__echo__echo(t=(1, 2), s={3, 1, 2}, d=datetime.date(2026, 1, 2), f=Filter("x", [1]), n=10 ** 30))
print(await mcp__echo__echo(**{"from": "a", "class": 1, "with-dash": 2}), await mcp__echo__echo())
