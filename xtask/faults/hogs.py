# Programs that take what they can get. Separated by lines that start with `#:`.
#: loop for ever
while True: pass
#: loop for ever and catch everything
while True:
    try:
        while True: pass
    except BaseException: pass
#: sleep for ever
import asyncio
await asyncio.sleep(1e9)
#: wait for what never comes
import asyncio
await asyncio.Event().wait()
#: one native step without end
x = 10 ** (10 ** 8)
#: a pattern that backtracks
import re
re.match(r"(a+)+$", "a" * 60 + "b")
#: take memory in large pieces
kept = []
while True: kept.append(bytearray(8 << 20))
#: take memory in small pieces
kept = []
while True: kept.append([object() for _ in range(1000)])
#: take memory by doubling a string
text = "x"
while True: text += text
#: print without end
while True: print("x" * 10_000)
#: one large line
print("x" * (100 << 20))
#: recurse
def f(n): return f(n + 1)
f(0)
#: recurse and catch
def f():
    try: f()
    except RecursionError: f()
f()
#: call a tool without end
while True: await mcp__m__echo(text="x")
#: call a tool at once very often
import asyncio
await asyncio.gather(*[mcp__m__echo(text=str(n)) for n in range(100_000)])
#: large arguments
await mcp__m__echo(text="x" * (60 << 20))
#: many large arguments
import asyncio
await asyncio.gather(*[mcp__m__echo(text="x" * (1 << 20)) for _ in range(500)])
#: arguments that nest
value = []
for _ in range(100_000): value = [value]
await mcp__m__echo(text=value)
#: an error with a long text
raise ValueError("x" * (50 << 20))
#: a long chain of errors
error = None
for n in range(10_000):
    new = ValueError(n)
    new.__context__ = error
    error = new
raise error
#: an object that never ends to be shown
class Endless:
    def __repr__(self):
        while True: pass
print(Endless())
#: an end that does not end
import atexit
def stay():
    while True: pass
atexit.register(stay)
#: a finalizer that does not end
class Stays:
    def __del__(self):
        while True: pass
kept = Stays()
#: many tasks
import asyncio
async def spin():
    while True: await asyncio.sleep(0)
await asyncio.gather(*[spin() for _ in range(10_000)])
#: compile something large
eval("+".join(["1"] * 1_000_000))
#: compile something deep
eval("(" * 100_000 + ")" * 100_000)
#: leave without a word
import os
os._exit(0)
#: abort
import os
os.abort()
#: break the interpreter's own modules
import sys
sys.modules.clear()
import json
