tasks = (await mcp__board__list_tasks())["tasks"]
def with_flag(t):
    return t | {"titel": t["title"].upper()}
out = [with_flag(t) for t in tasks]
print(out[0]["titel"])
rows = [t | dict(tag=t["tags"][0] if t["tags"] else None) for t in tasks]
for r in rows:
    print(r["id"], r["tag"])
extra = {"dues": 1}
more = [t | extra for t in tasks]
print(more[0]["dues"])
left = [extra | t for t in tasks]
print(left[0]["dues"])
