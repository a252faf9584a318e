import re
d = await mcp__doc_retrieval__get_doc(doc_id="hb-04")
m = re.search(r"(\w+)", d["content"])
print(m.group(0))
print(re.findall(r"\d+", d["content"])[:2], re.sub("a", "b", d["title"]))
for mm in re.finditer("x", d["content"]):
    print(mm.start())
words = d["content"].lower().split()
