"""Right programs over two servers made with FastMCP and the official SDK: pydantic models, wrapped lists, None."""

#: one reading
reading = await mcp__fastmcp__reading(station="Potsdam")
print(reading["station"], reading["celsius"], reading.get("tags", []))

#: a list that was wrapped
readings = await mcp__fastmcp__readings(count=4)
print([reading["celsius"] for reading in readings], sum(reading["celsius"] for reading in readings))

#: the mean, guarded against nothing
readings = await mcp__fastmcp__readings(count=0)
print(sum(reading["celsius"] for reading in readings) / len(readings) if readings else "no readings")

#: a number that was wrapped
total = await mcp__fastmcp__total(values=[1, 2, 3])
print(total + 1, f"{total:03d}", total // 4)

#: a total of a total
parts = [await mcp__fastmcp__total(values=list(range(n))) for n in (3, 4, 5)]
print(await mcp__fastmcp__total(values=parts))

#: a text without a schema
print((await mcp__fastmcp__plain(text="tenon")).lower()[::-1])

#: a refusal with its words
try:
    await mcp__fastmcp__refuses(reason="closed on Sundays")
except ToolError as error:
    print(error.kind, error.message)

#: objects as arguments
middle = await mcp__python_sdk__midpoint(a={"x": 0, "y": 0}, b={"x": 4, "y": 2})
print(middle["x"] + middle["y"], middle)

#: a result that is an argument again
point = {"x": 8.0, "y": 2.0}
for _ in range(3):
    point = await mcp__python_sdk__midpoint(a={"x": 0, "y": 0}, b=point)
print(point)

#: an object inside an object
box = await mcp__python_sdk__box(points=[{"x": 1, "y": 5}, {"x": -3, "y": 2}, {"x": 0, "y": 9}])
print((box["high"]["x"] - box["low"]["x"]) * (box["high"]["y"] - box["low"]["y"]))

#: corners by unpacking
box = await mcp__python_sdk__box(points=[{"x": x, "y": x * x} for x in range(4)])
low, high = box["low"], box["high"]
print(*(f"({corner['x']:g}, {corner['y']:g})" for corner in (low, high)))

#: a list of integers
squares = await mcp__python_sdk__squares(count=6)
print(squares[-1], squares[::2], sum(squares), max(squares, default=0))

#: a string or None
for give in (True, False):
    answer = await mcp__python_sdk__maybe(give=give)
    print(answer.upper() if answer is not None else "nothing")

#: None by a default
here, gone = await mcp__python_sdk__maybe(give=True), await mcp__python_sdk__maybe(give=False)
print((here or "?") + (gone or "?"))

#: squares and readings zipped
import asyncio
squares, readings = await asyncio.gather(mcp__python_sdk__squares(count=3), mcp__fastmcp__readings(count=3))
print([(square, reading["station"]) for square, reading in zip(squares, readings)])

#: a refusal without arguments
import traceback
try:
    await mcp__python_sdk__refuses()
except ToolError as error:
    print(error.tool, traceback.format_exception_only(error)[-1].startswith("ToolError") or True)

#: matched by structure
async def describe(call):
    match await call:
        case {"x": x, "y": y}:
            return f"point {x:g} {y:g}"
        case [first, *rest]:
            return f"list {first} and {len(rest)} more"
        case str() as text:
            return f"text {text}"
        case None:
            return "nothing"

for call in (
    mcp__python_sdk__midpoint(a={"x": 1, "y": 1}, b={"x": 3, "y": 3}),
    mcp__python_sdk__squares(count=3),
    mcp__python_sdk__maybe(give=True),
    mcp__python_sdk__maybe(give=False),
):
    print(await describe(call))

#: thoughts that count up
history = []
for number in range(1, 4):
    thought = await mcp__sequential_thinking__sequentialthinking(
        thought=f"step {number}", nextThoughtNeeded=number < 3, thoughtNumber=number, totalThoughts=3
    )
    history.append((thought["thoughtNumber"], thought["nextThoughtNeeded"]))
print(history)

#: a branch of thoughts
thought = await mcp__sequential_thinking__sequentialthinking(
    thought="or else", nextThoughtNeeded=False, thoughtNumber=2, totalThoughts=3, branchFromThought=1, branchId="b"
)
print(thought["branches"], thought["totalThoughts"] - thought["thoughtNumber"])

#: a page that may not be fetched
try:
    await mcp__fetch__fetch(url="http://127.0.0.1:9/", max_length=100)
except ToolError as error:
    print("127.0.0.1" in error.message, error.kind)

#: a linter without files
try:
    await mcp__eslint__lint_files(filePaths=[f"{FOLDER}/absent.js"])
except ToolError as error:
    print(error.message.split("'")[0])
