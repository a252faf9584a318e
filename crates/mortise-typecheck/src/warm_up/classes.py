import csv
import dataclasses
import functools
import io


@dataclasses.dataclass
class Row:
    name: str
    value: float = 0.0


text = io.StringIO()
csv.DictWriter(text, ["a"]).writerow({"a": 1})
print(sorted([Row("a", 1.5), Row("b")], key=lambda row: (-row.value, row.name)), text.getvalue())
print(functools.reduce(lambda a, b: a + b, [1, 2]), [dict(row) for row in csv.DictReader(text)])
