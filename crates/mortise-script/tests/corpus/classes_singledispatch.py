from functools import singledispatch, singledispatchmethod, cached_property
@singledispatch
def show(x):
    return f"<{x}>"
@show.register
def _(x: int):
    return f"int {x}"
@show.register(list)
def _(x):
    return "[" + ", ".join(map(show, x)) + "]"
class Lazy:
    calls = 0
    @cached_property
    def value(self):
        Lazy.calls += 1
        return 99
l = Lazy()
print(show(3), show([1, "a", [2.5]]), l.value + l.value, Lazy.calls)
