def averager():
    total, count, average = 0.0, 0, None
    while (value := (yield average)) is not None:
        total += value
        count += 1
        average = total / count
    return count
g = averager()
next(g)
print([g.send(v) for v in (10, 20, 60)])
try:
    g.send(None)
except StopIteration as stop:
    print("count", stop.value)
def outer():
    result = yield from inner()
    yield f"inner gave {result}"
def inner():
    yield 1
    return "done"
print(list(outer()))
def closing():
    try:
        yield 1
    finally:
        print("closed")
c = closing()
next(c)
c.close()
