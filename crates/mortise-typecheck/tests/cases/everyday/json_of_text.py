import json, re

raw = await mcp__doc_retrieval__search_docs(query="travel", limit=3)
if isinstance(raw, str):
    try:
        hits = json.loads(raw)
    except json.JSONDecodeError:
        hits = []
elif isinstance(raw, dict):
    hits = raw.get("results", [])
else:
    hits = raw
docs = {}
for hit in hits:
    doc = await mcp__doc_retrieval__get_doc(doc_id=hit["doc_id"])
    docs[doc["doc_id"]] = doc
for doc_id, doc in docs.items():
    numbers = [int(n) for n in re.findall(r"\b\d+\b", doc["content"])]
    words = len(doc["content"].split())
    m = re.search(r"(\w+) days?", doc["content"])
    when = m.group(1) if m else "-"
    print(doc_id, doc["title"], words, numbers, when, ",".join(doc["tags"]))
first = next(iter(docs.values()), None)
if first is not None:
    sentences = re.split(r"(?<=[.!?])\s+", first["content"])
    print(sentences[0])
