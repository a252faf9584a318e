from dataclasses import dataclass
@dataclass
class Product:
    id: str
    name: str
    category: str
    price_cents: int
    stock: int
ps = [Product(**p) for p in (await mcp__inventory__list_products())["products"]]
print(max(ps, key=lambda p: p.price_cents).name)
