import re
text = await mcp__docs__readme()
for label, url in re.findall(r"\[([^\]]+)\]\((\S+?)(?:\s+\"[^\"]*\")?\)", text):
    print(label, "->", url)
print(re.findall(r"^#+ (.+)$", text, re.M), re.search(r"```(\w+)\n(.*?)```", text, re.S).groups())
print(re.sub(r"[*_`]", "", text.splitlines()[2]))
