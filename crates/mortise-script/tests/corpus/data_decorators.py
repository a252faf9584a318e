import functools
def logged(prefix=""):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            result = f(*args, **kwargs)
            print(f"{prefix}{f.__name__}{args}{kwargs or ''} -> {result}")
            return result
        wrapper.calls = 0
        return wrapper
    return decorate
class Memo:
    def __init__(self, f):
        self.f, self.seen = f, {}
    def __call__(self, *args):
        if args not in self.seen:
            self.seen[args] = self.f(*args)
        return self.seen[args]
@logged("> ")
def add(a, b=1):
    return a + b
@Memo
def slow(n):
    print("computing", n)
    return n * n
add(1), add(2, b=5), print(slow(4), slow(4), add.__name__, len(slow.seen))
