import re, string, textwrap, unicodedata, difflib
from collections import Counter
hits = await mcp__doc_retrieval__search_docs(query="laptop", limit=5)
text = []
for h in hits:
    d = await mcp__doc_retrieval__get_doc(doc_id=h["doc_id"])
    text.append(d["content"])
blob = " ".join(text).lower()
blob = unicodedata.normalize("NFKD", blob).translate(str.maketrans("", "", string.punctuation))
words = Counter(w for w in blob.split() if len(w) > 4)
print(words.most_common(3))
pattern = re.compile(r"(?P<n>\d+)\s+(?P<unit>\w+)")
for m in pattern.finditer(" ".join(text)):
    print(m["n"], m.group("unit"), m.groupdict()["unit"], m.span()[0] >= 0)
print(re.sub(r"\b(\w)(\w*)", lambda m: m.group(1).upper() + m.group(2), "quick brown"))
print(textwrap.shorten(text[0], 50), textwrap.fill(text[0], 60).count("\n") >= 0)
titles = [h["title"] for h in hits]
print(difflib.get_close_matches("Laptop and sofware", titles, n=1))
head, sep, tail = text[0].partition(". ")
print(len(head) > 0, sep == ". ")
if (m := re.match(r"[A-Z]\w+", text[0])):
    print(m[0], m.end())
print(re.search(r"\w+", text[0]).group())
