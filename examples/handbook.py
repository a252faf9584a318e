# A tool without output schema: look at what comes back, then use it.
import asyncio

hits = await mcp__doc_retrieval__search_docs(query="security", limit=3)
print(type(hits).__name__, sorted(hits[0]))
documents = await asyncio.gather(*(mcp__doc_retrieval__get_doc(doc_id=hit["doc_id"]) for hit in hits))
for document in documents:
    print(f"{document['doc_id']}  {document['title']}  ({len(document['content'].split())} words)")
