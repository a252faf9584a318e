from dataclasses import dataclass, field, asdict, replace
@dataclass(order=True)
class Line:
    sku: str
    quantity: int = 1
    price: float = field(default=0.0, compare=False)
    @property
    def total(self):
        return round(self.quantity * self.price, 2)
@dataclass
class Order:
    id: int
    lines: list[Line] = field(default_factory=list)
    def add(self, line):
        self.lines.append(line)
        return self
orders = [Order(o["id"], [Line(**i) for i in o["items"]]) for o in (await mcp__shop__orders(status="open"))[:3]]
for o in orders:
    print(o.id, sum(l.total for l in o.lines), max(o.lines).sku)
print(asdict(orders[0]) == {"id": orders[0].id, "lines": [asdict(l) for l in orders[0].lines]})
print(replace(Line("A"), quantity=3), Line("A") < Line("B"), Line("A", 1, 2.0) == Line("A", 1, 9.0))
