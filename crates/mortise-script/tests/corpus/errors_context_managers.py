from contextlib import contextmanager, suppress, ExitStack, asynccontextmanager
@contextmanager
def step(name):
    print("enter", name)
    try:
        yield name.upper()
    except ValueError as e:
        print("caught", e)
    finally:
        print("leave", name)
with step("a") as a, step("b"):
    print(a)
    raise ValueError("inside")
with suppress(KeyError, ZeroDivisionError):
    {}[1]
with ExitStack() as stack:
    for n in "xy":
        stack.enter_context(step(n))
    stack.callback(print, "callback")
@asynccontextmanager
async def session():
    yield await mcp__echo__echo(s=1)
async with session() as s:
    print(s)
