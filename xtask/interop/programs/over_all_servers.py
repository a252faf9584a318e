"""One program over all servers at once: some declare what they return, some don't, one lies."""
import asyncio
import sys
from pathlib import PurePosixPath

folder, repository = sys.argv[1:]
print(len([name for name in await list_callable_tools() if name.startswith("mcp__everything__")]) > 5)

# Declared results, at the same time.
weather, noon, total, midpoint = await asyncio.gather(
    mcp__everything__get_structured_content(location="Chicago"),
    mcp__time__convert_time(source_timezone="Europe/Berlin", time="12:30", target_timezone="Asia/Tokyo"),
    mcp__fastmcp__total(values=[1, 2, 3]),
    mcp__python_sdk__midpoint(a={"x": 0, "y": 0}, b={"x": 4, "y": 2}),
)
print(sorted(weather))
print(noon["source"]["timezone"], "→", noon["target"]["timezone"])
print(total, midpoint)

# Files that one server writes and reads.
path = str(PurePosixPath(folder) / "notes.txt")
await mcp__filesystem__write_file(path=path, content="".join(f"line {n}\n" for n in range(3)))
text = await mcp__filesystem__read_text_file(path=path)
print(type(text).__name__, "line 2" in str(text))

# A graph that another keeps.
await mcp__memory__create_entities(
    entities=[{"name": "tenon", "entityType": "joint", "observations": ["fits a mortise"]}]
)
graph = await mcp__memory__read_graph()
print([entity["name"] for entity in graph["entities"]])

thought = await mcp__sequential_thinking__sequentialthinking(
    thought="measure twice", nextThoughtNeeded=False, thoughtNumber=1, totalThoughts=1
)
print(thought["thoughtNumber"])

# No schema: a text.
status = await mcp__git__git_status(repo_path=repository)
print(type(status).__name__, "branch" in status)

# Failures are exceptions; a result that breaks its contract comes through and is noted.
for call in (
    mcp__filesystem__read_text_file(path=str(PurePosixPath(folder) / "absent.txt")),
    mcp__time__get_current_time(timezone="Mars/Olympus"),
    mcp__fastmcp__refuses(reason="closed"),
):
    try:
        await call
    except ToolError as error:
        print(error.tool, error.kind)
print(type(await mcp__fastmcp__lies()).__name__)
