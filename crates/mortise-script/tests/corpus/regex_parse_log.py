import re
from collections import Counter, defaultdict
line_re = re.compile(r"(?P<time>\S+)Z (?P<level>\w+)\s+\[(?P<part>\w+)\] (?P<ip>[\d.]+) (?P<verb>\w+) (?P<path>\S+) (?P<code>\d{3}) (?P<ms>\d+)ms")
slow = defaultdict(list)
levels = Counter()
for line in await mcp__logs__lines():
    m = line_re.fullmatch(line)
    levels[m["level"]] += 1
    slow[m["path"].split("/")[1]].append(int(m["ms"]))
print(sorted(levels.items()))
for path, times in sorted(slow.items()):
    print(path, len(times), max(times), sum(times) // len(times))
