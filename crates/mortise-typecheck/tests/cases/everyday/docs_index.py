from collections import defaultdict
import math
tags = (await mcp__doc_retrieval__list_tags())["tags"]
print({t["tag"]: t["documents"] for t in tags})
ids = set()
for t in tags:
    for h in await mcp__doc_retrieval__search_docs(query=t["tag"], limit=20):
        ids.add(h["doc_id"])
docs = {}
for i in sorted(ids):
    try:
        docs[i] = await mcp__doc_retrieval__get_doc(doc_id=i)
    except ToolError as err:
        print("skip", i, err.message)
index = defaultdict(set)
for i, d in docs.items():
    for w in d["content"].lower().split():
        index[w.strip(".,")].add(i)
def search(q):
    scores = defaultdict(float)
    for w in q.lower().split():
        for i in index.get(w, ()):
            scores[i] += math.log(1 + len(docs) / len(index[w]))
    return sorted(scores.items(), key=lambda kv: (-kv[1], kv[0]))[:3]
for i, s in search("security desk laptops"):
    print(i, docs[i]["title"], round(s, 2), docs[i]["updated"])
newest = max(docs.values(), key=lambda d: d["updated"])
print(newest["title"], [d["title"] for d in docs.values() if "policy" in d["tags"]][:2])
