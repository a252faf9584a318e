registry = {}
class Plugin:
    def __init_subclass__(cls, /, key=None, **kw):
        super().__init_subclass__(**kw)
        registry[key or cls.__name__.lower()] = cls
class Csv(Plugin):
    def dump(self, rows):
        return "\n".join(",".join(map(str, r.values())) for r in rows)
class Lines(Plugin, key="txt"):
    def dump(self, rows):
        return " / ".join(r["name"] for r in rows)
rows = [{"sku": p["sku"], "name": p["name"]} for p in await mcp__shop__products(category="light")]
for key in sorted(registry):
    print(key, "=>", registry[key]().dump(rows))
Dynamic = type("Dynamic", (Plugin,), {"answer": lambda self: 42})
print(Dynamic().answer(), getattr(Dynamic(), "missing", "default"), sorted(registry))
