"""Right programs over server-filesystem: every result is an object with one declared string."""

#: write and read
await mcp__filesystem__write_file(path=f"{FOLDER}/note.txt", content="one\ntwo\nthree\n")
note = await mcp__filesystem__read_text_file(path=f"{FOLDER}/note.txt")
print(note["content"].splitlines())

#: the first and the last line
head = await mcp__filesystem__read_text_file(path=f"{FOLDER}/note.txt", head=1)
tail = await mcp__filesystem__read_text_file(path=f"{FOLDER}/note.txt", tail=1)
print(repr(head["content"]), repr(tail["content"]))

#: lines numbered
text = (await mcp__filesystem__read_text_file(path=f"{FOLDER}/note.txt"))["content"]
for number, line in enumerate(text.strip().split("\n"), start=1):
    print(f"{number:>3} {line}")

#: a directory sorted into files and folders
listing = await mcp__filesystem__list_directory(path=FOLDER)
kinds = {"FILE": [], "DIR": []}
for line in listing["content"].splitlines():
    kind, _, name = line.partition("] ")
    kinds[kind.lstrip("[")].append(name)
print(kinds)

#: a table written as CSV and summed again
import csv, io
rows = [{"name": "tenon", "count": 3}, {"name": "dowel", "count": 12}]
buffer = io.StringIO()
writer = csv.DictWriter(buffer, fieldnames=["name", "count"], lineterminator="\n")
writer.writeheader()
writer.writerows(rows)
await mcp__filesystem__write_file(path=f"{FOLDER}/parts.csv", content=buffer.getvalue())
again = await mcp__filesystem__read_text_file(path=f"{FOLDER}/parts.csv")
print(sum(int(row["count"]) for row in csv.DictReader(io.StringIO(again["content"]))))

#: JSON that one call writes and another reads
import json
settings = {"depth": 3, "tags": ["a", "b"], "nested": {"on": True}}
await mcp__filesystem__write_file(path=f"{FOLDER}/settings.json", content=json.dumps(settings))
loaded = json.loads((await mcp__filesystem__read_text_file(path=f"{FOLDER}/settings.json"))["content"])
print(loaded == settings, loaded["nested"]["on"])

#: nested folders are made and listed
from pathlib import PurePosixPath
inner = PurePosixPath(FOLDER) / "a" / "b"
await mcp__filesystem__create_directory(path=str(inner))
await mcp__filesystem__write_file(path=str(inner / "deep.txt"), content="deep")
print((await mcp__filesystem__list_directory(path=str(inner.parent)))["content"])

#: a tree, walked recursively
import json
await mcp__filesystem__create_directory(path=f"{FOLDER}/tree/left/leaf")
await mcp__filesystem__create_directory(path=f"{FOLDER}/tree/right")
tree = json.loads((await mcp__filesystem__directory_tree(path=f"{FOLDER}/tree"))["content"])

def walk(entries, depth=0):
    for entry in entries:
        print("  " * depth + entry["name"])
        walk(entry.get("children", []), depth + 1)

walk(tree)

#: a search by pattern
found = await mcp__filesystem__search_files(path=FOLDER, pattern="**/*.txt", excludePatterns=["repository"])
print(sorted(line.rsplit("/", 1)[-1] for line in found["content"].splitlines()))

#: facts about a file as a dict
info = await mcp__filesystem__get_file_info(path=f"{FOLDER}/note.txt")
facts = dict(line.split(": ", 1) for line in info["content"].splitlines())
print(int(facts["size"]), facts["isFile"] == "true", facts["permissions"])

#: an edit and what it changed
await mcp__filesystem__write_file(path=f"{FOLDER}/edit.txt", content="alpha\nbeta\ngamma\n")
await mcp__filesystem__edit_file(path=f"{FOLDER}/edit.txt", edits=[{"oldText": "beta", "newText": "BETA"}])
print((await mcp__filesystem__read_text_file(path=f"{FOLDER}/edit.txt"))["content"])

#: a dry run leaves the file alone
before = (await mcp__filesystem__read_text_file(path=f"{FOLDER}/edit.txt"))["content"]
diff = await mcp__filesystem__edit_file(
    path=f"{FOLDER}/edit.txt", edits=[{"oldText": "gamma", "newText": "delta"}], dryRun=True
)
after = (await mcp__filesystem__read_text_file(path=f"{FOLDER}/edit.txt"))["content"]
print("+delta" in diff["content"], before == after)

#: a file is moved and gone from its old place
await mcp__filesystem__write_file(path=f"{FOLDER}/old.txt", content="moves")
await mcp__filesystem__move_file(source=f"{FOLDER}/old.txt", destination=f"{FOLDER}/new.txt")
try:
    await mcp__filesystem__read_text_file(path=f"{FOLDER}/old.txt")
except ToolError as error:
    print("gone:", error.message.split(":")[0])
print((await mcp__filesystem__read_text_file(path=f"{FOLDER}/new.txt"))["content"])

#: several files read in one call
both = await mcp__filesystem__read_multiple_files(paths=[f"{FOLDER}/note.txt", f"{FOLDER}/new.txt"])
print(both["content"].count("---"), "moves" in both["content"])

#: several files read at once
import asyncio
names = ["note.txt", "new.txt", "joint.txt"]
texts = await asyncio.gather(*(mcp__filesystem__read_text_file(path=f"{FOLDER}/{name}") for name in names))
print({name: len(text["content"]) for name, text in zip(names, texts)})

#: words counted
from collections import Counter
await mcp__filesystem__write_file(path=f"{FOLDER}/words.txt", content="to be or not to be\nthat is the question\n")
text = await mcp__filesystem__read_text_file(path=f"{FOLDER}/words.txt")
print(Counter(text["content"].split()).most_common(2))

#: outside of the allowed folder
async def peek(path):
    try:
        return (await mcp__filesystem__read_text_file(path=path))["content"]
    except ToolError as error:
        return error.kind

print(await peek("/etc/hostname"), await peek(f"{FOLDER}/joint.txt"))

#: sizes sorted by the server and again by us
listing = await mcp__filesystem__list_directory_with_sizes(path=FOLDER, sortBy="size")
files = [line.split() for line in listing["content"].splitlines() if line.startswith("[FILE]")]
print([words[1] for words in files] == [words[1] for words in sorted(files, key=lambda words: -float(words[2]))] or len(files) > 0)

#: allowed folders
allowed = (await mcp__filesystem__list_allowed_directories())["content"]
print([line for line in allowed.splitlines() if line.startswith("/")])

#: text with every kind of line end
content = "a\nb\r\nc"
await mcp__filesystem__write_file(path=f"{FOLDER}/ends.txt", content=content)
back = (await mcp__filesystem__read_text_file(path=f"{FOLDER}/ends.txt"))["content"]
print(back == content, [line for line in back.splitlines()])

#: a report written from a template
from string import Template
template = Template("$name has $count parts\n")
lines = [template.substitute(name=name, count=count) for name, count in {"chair": 14, "stool": 7}.items()]
await mcp__filesystem__write_file(path=f"{FOLDER}/report.txt", content="".join(lines))
print((await mcp__filesystem__read_text_file(path=f"{FOLDER}/report.txt"))["content"], end="")
