import re
from collections import Counter
docs = await mcp__docs__search()
words = Counter(w for d in docs for w in re.findall(r"[a-z]+", d["text"].lower()))
print(words.most_common(5), len(words), sum(words.values()))
longest = max(words, key=lambda w: (len(w), w))
print(longest, [w for w, n in sorted(words.items()) if n == 2])
