from collections import Counter
from datetime import datetime
lines = await mcp__logs__lines()
minutes = Counter()
for line in lines:
    t = datetime.fromisoformat(line.split()[0].removesuffix("Z"))
    minutes[t.replace(second=t.second // 30 * 30)] += 1
first = min(minutes)
for t in sorted(minutes)[:8]:
    print(f"+{(t - first).seconds:>4}s {'*' * minutes[t]}")
errors = [l for l in lines if " ERROR " in l]
print(len(errors), "errors;", sum(l.split()[-2].startswith("5") for l in lines), "server errors")
