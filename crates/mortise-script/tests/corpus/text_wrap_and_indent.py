import textwrap
for d in await mcp__docs__search():
    print(d["title"].center(40, "="))
    print(textwrap.fill(d["text"], width=40, initial_indent="  ", subsequent_indent="  "))
print(textwrap.shorten("The quick brown fox jumps over the lazy dog", 25, placeholder="…"))
print(textwrap.dedent("""\
    a
      b
    c"""))
