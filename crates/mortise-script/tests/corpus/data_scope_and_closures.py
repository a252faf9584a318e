x = "global"
def outer():
    x = "outer"
    def inner():
        nonlocal x
        x += "!"
        return x
    return inner, lambda: x
inner, peek = outer()
print(inner(), inner(), peek(), x)
fs = [lambda i=i: i * 10 for i in range(3)]
gs = [lambda: i for i in range(3)]
print([f() for f in fs], [g() for g in gs])
def counter():
    count = 0
    while True:
        count += 1
        yield count
c = counter()
print(next(c), next(c), [*zip("ab", c)])
def kw(a, /, b, *args, c=3, **rest):
    return a, b, args, c, rest
print(kw(1, 2, 4, 5, c=6, d=7), kw(1, b=2), (lambda *a, **k: (a, k))(1, z=2))
