import json, datetime, dataclasses
@dataclasses.dataclass
class Tag:
    name: str
class Encoder(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, (datetime.date, datetime.datetime)):
            return o.isoformat()
        if dataclasses.is_dataclass(o):
            return dataclasses.asdict(o)
        if isinstance(o, set):
            return sorted(o)
        return super().default(o)
print(json.dumps({"d": datetime.date(2026, 1, 2), "t": Tag("x"), "s": {3, 1}}, cls=Encoder))
try:
    json.dumps({"x": object})
except TypeError as e:
    print("TypeError")
print(json.loads('{"a": 1.10, "b": 2}', parse_float=str, parse_int=lambda s: s + "!"))
print(json.loads('[{"k": 1}]', object_hook=lambda d: {k.upper(): v for k, v in d.items()}))
