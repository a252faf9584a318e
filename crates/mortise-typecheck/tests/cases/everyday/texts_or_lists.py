docs = await mcp__doc_retrieval__search_docs(query="vacation")
items = docs if isinstance(docs, list) else docs.get("results", docs) if isinstance(docs, dict) else docs
print(str(items)[:30])
tags = await mcp__doc_retrieval__list_tags()
print([f"{t['tag']} ({t['documents']})" for t in tags["tags"]])
print("\n".join(f'{t["tag"]:<20}{t["documents"]:>5}' for t in tags["tags"]))
