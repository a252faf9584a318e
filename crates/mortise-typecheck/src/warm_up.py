import asyncio
import collections
import csv
import dataclasses
import datetime
import functools
import io
import itertools
import json
import math
import re
import statistics
import time
from collections import Counter, defaultdict


@dataclasses.dataclass
class Row:
    name: str
    value: float = 0.0


async def fetch(number: int) -> dict[str, float]:
    await asyncio.sleep(0)
    return {"value": number / 2}


async def main():
    async with asyncio.Semaphore(2):
        found = await asyncio.gather(*[fetch(n) for n in range(3)], return_exceptions=True)
    total = sum(item["value"] for item in found if isinstance(item, dict))
    by_name = defaultdict(list)
    for row in sorted([Row("a", 1.5), Row("b")], key=lambda row: (-row.value, row.name)):
        by_name[row.name].append(round(row.value, 2))
    counts = Counter(re.findall(r"\w+", "a b a")).most_common(2)
    when = datetime.datetime.fromisoformat("2026-01-01T00:00:00+00:00") + datetime.timedelta(days=1)
    text = io.StringIO()
    csv.DictWriter(text, ["a"]).writerow({"a": 1})
    pairs = dict(zip("ab", itertools.accumulate([1, 2])))
    for key, value in sorted(pairs.items(), key=lambda item: item[1], reverse=True):
        print(f"{key:<10}{value:>8,.2f}", key.upper().strip().split(","), str(value).zfill(3))
    print(json.dumps({"total": total, "counts": counts, "when": when.strftime("%Y-%m-%d")}, indent=2))
    print(statistics.mean([1, 2]), math.sqrt(4), functools.reduce(lambda a, b: a + b, [1, 2]), time.time())
    print(max(by_name, key=lambda name: len(by_name[name])), [n for n in range(3) if n], any([]), ", ".join(pairs))
    try:
        json.loads("{}")["x"]
    except (KeyError, ValueError, ToolError) as error:
        print(type(error).__name__, error)
    ordered = collections.OrderedDict(pairs)
    emit({"ordered": list(ordered), "tuple": tuple(ordered)})


await main()
