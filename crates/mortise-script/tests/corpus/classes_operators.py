import functools
@functools.total_ordering
class Money:
    def __init__(self, cents):
        self.cents = cents
    def __eq__(self, other):
        return self.cents == other.cents
    def __lt__(self, other):
        return self.cents < other.cents
    def __add__(self, other):
        return Money(self.cents + (other.cents if isinstance(other, Money) else other))
    __radd__ = __add__
    def __mul__(self, n):
        return Money(round(self.cents * n))
    def __str__(self):
        return f"{self.cents / 100:.2f}"
    def __bool__(self):
        return self.cents != 0
    def __format__(self, spec):
        return format(str(self), spec)
rows = await mcp__shop__products()
prices = [Money(round(p["price"] * 100)) for p in rows]
print(sum(prices), max(prices), min(prices), bool(Money(0)), f"{prices[0]:>10}", prices[0] * 1.19 >= prices[1])
