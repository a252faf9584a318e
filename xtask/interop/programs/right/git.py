"""Right programs over mcp-server-git, which declares no results: every answer is a text."""

#: the subject of the last commit
log = await mcp__git__git_log(repo_path=REPOSITORY, max_count=1)
print([line for line in log.splitlines() if line.startswith("Message:")])

#: a commit as a dict
log = await mcp__git__git_log(repo_path=REPOSITORY)
commit = dict(line.split(": ", 1) for line in log.splitlines()[1:] if ": " in line)
print(sorted(commit), commit["Author"], len(commit["Commit"]))

#: what a change removes and adds
diff = await mcp__git__git_diff_unstaged(repo_path=REPOSITORY)
changes = [line for line in diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
print(changes)

#: counted lines of a diff
from collections import Counter
diff = await mcp__git__git_diff_unstaged(repo_path=REPOSITORY, context_lines=0)
print(Counter(line[0] for line in diff.splitlines() if line and line[0] in "+-@"))

#: the branch that is checked out
branches = await mcp__git__git_branch(repo_path=REPOSITORY, branch_type="local")
current = next(line.strip("* ") for line in branches.splitlines() if line.startswith("*"))
print(current)

#: a new branch and the list after it
print(await mcp__git__git_create_branch(repo_path=REPOSITORY, branch_name="joinery"))
branches = await mcp__git__git_branch(repo_path=REPOSITORY, branch_type="local")
print(sorted(line.strip("* ").strip() for line in branches.splitlines()))

#: add, then look at what is staged
await mcp__git__git_add(repo_path=REPOSITORY, files=["joint.txt"])
staged = await mcp__git__git_diff_staged(repo_path=REPOSITORY)
print("+mortise and tenon" in staged)

#: status before and after a reset
staged = await mcp__git__git_status(repo_path=REPOSITORY)
await mcp__git__git_reset(repo_path=REPOSITORY)
unstaged = await mcp__git__git_status(repo_path=REPOSITORY)
print("Changes to be committed" in staged, "Changes to be committed" in unstaged)

#: a revision that is not there
try:
    await mcp__git__git_show(repo_path=REPOSITORY, revision="no-such-revision")
except ToolError as error:
    print(error.kind, "no-such-revision" in error.message)

#: status and log at the same time
import asyncio
status, log = await asyncio.gather(
    mcp__git__git_status(repo_path=REPOSITORY), mcp__git__git_log(repo_path=REPOSITORY, max_count=5)
)
print("joint.txt" in status, log.count("Commit:"))

#: a helper that parses commits
from typing import NamedTuple

class Commit(NamedTuple):
    author: str
    message: str

def parse(log: str) -> list[Commit]:
    found = []
    for block in log.split("Commit: ")[1:]:
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        found.append(Commit(fields["Author"], fields["Message"].strip("'")))
    return found

print(parse(await mcp__git__git_log(repo_path=REPOSITORY)))

#: the year of a commit
import re
log = await mcp__git__git_log(repo_path=REPOSITORY, max_count=1)
match = re.search(r"Date: (\d{4})-(\d{2})", log)
print(match.groups() if match else None)

#: what one revision shows
shown = await mcp__git__git_show(repo_path=REPOSITORY, revision="HEAD")
print(any("joint.txt" in line for line in shown.splitlines()))

#: checkout there and back
for branch in ("joinery", "main"):
    await mcp__git__git_checkout(repo_path=REPOSITORY, branch_name=branch)
    branches = await mcp__git__git_branch(repo_path=REPOSITORY, branch_type="local")
    print([line[2:] for line in branches.splitlines() if line[0] == "*"])
