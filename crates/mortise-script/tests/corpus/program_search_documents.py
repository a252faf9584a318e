import re, math
from collections import Counter
docs = await mcp__docs__search()
def tokens(text):
    return re.findall(r"[a-z]+", text.lower())
index = {d["id"]: Counter(tokens(d["title"] + " " + d["text"])) for d in docs}
def idf(word):
    return math.log((1 + len(docs)) / (1 + sum(word in c for c in index.values()))) + 1
def search(query):
    scores = {id: sum(c[w] * idf(w) for w in tokens(query)) / math.sqrt(sum(n * n for n in c.values())) for id, c in index.items()}
    return [(id, round(s, 4)) for id, s in sorted(scores.items(), key=lambda kv: (-kv[1], kv[0])) if s]
for q in ("limits memory", "is it safe", "yaml settings", "zebra"):
    print(q, "->", search(q))
