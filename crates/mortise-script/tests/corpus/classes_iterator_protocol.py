class Window:
    """Sliding windows over a sequence."""
    def __init__(self, items, size):
        self.items, self.size = list(items), size
    def __len__(self):
        return max(0, len(self.items) - self.size + 1)
    def __getitem__(self, i):
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        if not 0 <= i < len(self):
            raise IndexError(i)
        return tuple(self.items[i:i + self.size])
    def __contains__(self, w):
        return any(w == x for x in self)
closes = [p["close"] for p in await mcp__finance__prices(ticker="AMZN")]
w = Window(closes, 3)
print(len(w), [round(sum(x) / 3, 3) for x in w][:4], w[0] in w, w[-1:] == [], len(w[2:5]))
