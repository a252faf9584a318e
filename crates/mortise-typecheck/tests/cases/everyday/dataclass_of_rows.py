from dataclasses import dataclass, asdict, field
@dataclass
class Row:
    id: str
    name: str
    stock: int = 0
    tags: list[str] = field(default_factory=list)
    @classmethod
    def from_dict(cls, d: dict) -> "Row":
        return cls(id=d["id"], name=d["name"], stock=d.get("stock", 0))
    @property
    def low(self) -> bool:
        return self.stock < 10
products = (await mcp__inventory__list_products())["products"]
rows = [Row.from_dict(p) for p in products]
print(sum(r.low for r in rows))
print(asdict(rows[0]))
rows2 = [Row(**{k: p[k] for k in ("id", "name", "stock")}) for p in products]
print(rows2[0] == rows[0])
