"""Right programs over server-memory: lists of declared objects that grow from program to program."""

#: entities are created and counted
created = await mcp__memory__create_entities(entities=[
    {"name": "tenon", "entityType": "joint", "observations": ["fits a mortise"]},
    {"name": "dowel", "entityType": "pin", "observations": ["is round", "is cheap"]},
    {"name": "dovetail", "entityType": "joint", "observations": []},
])
print([entity["name"] for entity in created["entities"]])

#: names by kind
graph = await mcp__memory__read_graph()
by_kind: dict[str, list[str]] = {}
for entity in graph["entities"]:
    by_kind.setdefault(entity["entityType"], []).append(entity["name"])
print(by_kind)

#: relations, with a key that is a keyword of Python
made = await mcp__memory__create_relations(relations=[
    {"from": "tenon", "to": "dowel", "relationType": "is pinned by"},
    {"from": "dovetail", "to": "tenon", "relationType": "competes with"},
])
for relation in made["relations"]:
    print(relation["from"], relation["relationType"], relation["to"])

#: observations added to what is there
added = await mcp__memory__add_observations(observations=[
    {"entityName": "dovetail", "contents": ["holds without glue", "looks good"]},
])
print([(result["entityName"], len(result["addedObservations"])) for result in added["results"]])

#: a search and its best hit
found = await mcp__memory__search_nodes(query="glue")
print(found["entities"][0]["name"] if found["entities"] else "nothing")

#: nothing found is an empty list
found = await mcp__memory__search_nodes(query="rivet")
print(len(found["entities"]), found["relations"])

#: opening nodes by name
opened = await mcp__memory__open_nodes(names=["tenon", "absent"])
for entity in opened["entities"]:
    print(entity["name"], "; ".join(entity["observations"]))

#: grouped with itertools
from itertools import groupby
graph = await mcp__memory__read_graph()
entities = sorted(graph["entities"], key=lambda entity: entity["entityType"])
for kind, group in groupby(entities, key=lambda entity: entity["entityType"]):
    print(kind, sorted(entity["name"] for entity in group))

#: neighbours of each node
from collections import defaultdict
graph = await mcp__memory__read_graph()
neighbours = defaultdict(set)
for relation in graph["relations"]:
    neighbours[relation["from"]].add(relation["to"])
    neighbours[relation["to"]].add(relation["from"])
print({name: sorted(others) for name, others in sorted(neighbours.items())})

#: the longest observation of all
graph = await mcp__memory__read_graph()
print(max((text for entity in graph["entities"] for text in entity["observations"]), key=len))

#: read, change, write
graph = await mcp__memory__read_graph()
copies = [{**entity, "name": entity["name"] + " copy"} for entity in graph["entities"] if entity["entityType"] == "pin"]
created = await mcp__memory__create_entities(entities=copies)
print(created["entities"] == copies)

#: an entity that is not there
try:
    await mcp__memory__add_observations(observations=[{"entityName": "nobody", "contents": ["x"]}])
except ToolError as error:
    print(error.message, str(error).endswith(error.message))

#: deleting answers with a message
answer = await mcp__memory__delete_entities(entityNames=["dowel copy"])
print(answer["success"], answer["message"])

#: observations taken back
answer = await mcp__memory__delete_observations(
    deletions=[{"entityName": "dovetail", "observations": ["looks good"]}]
)
opened = await mcp__memory__open_nodes(names=["dovetail"])
print(answer["success"], opened["entities"][0]["observations"])

#: a walk along relations
graph = await mcp__memory__read_graph()
edges = {(relation["from"], relation["to"]) for relation in graph["relations"]}

def reachable(start, seen=()):
    for source, target in sorted(edges):
        if source == start and target not in seen:
            yield target
            yield from reachable(target, (*seen, target))

print(list(reachable("dovetail")))

#: a dataclass for each entity, written as JSON
import json
from dataclasses import asdict, dataclass, field

@dataclass
class Node:
    name: str
    kind: str
    facts: list = field(default_factory=list)

graph = await mcp__memory__read_graph()
nodes = [Node(entity["name"], entity["entityType"], entity["observations"]) for entity in graph["entities"]]
print(json.dumps([asdict(node) for node in nodes], indent=1))

#: relations removed at the end
relations = (await mcp__memory__read_graph())["relations"]
answer = await mcp__memory__delete_relations(relations=relations)
print(answer["success"], len((await mcp__memory__read_graph())["relations"]))
