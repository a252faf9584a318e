class Trie:
    def __init__(self):
        self.root = {}
    def insert(self, word):
        node = self.root
        for ch in word:
            node = node.setdefault(ch, {})
        node[""] = True
    def starting(self, prefix):
        node = self.root
        for ch in prefix:
            if ch not in node:
                return
            node = node[ch]
        stack = [(prefix, node)]
        while stack:
            word, node = stack.pop()
            if "" in node:
                yield word
            stack.extend((word + ch, child) for ch, child in node.items() if ch)
t = Trie()
for p in await mcp__shop__products():
    t.insert(p["name"].lower())
print(sorted(t.starting("m")), sorted(t.starting("")), list(t.starting("zz")))
