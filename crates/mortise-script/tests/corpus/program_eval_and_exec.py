code = compile("a * b + len(xs)", "<expr>", "eval")
print(eval(code, {"a": 6, "b": 7, "xs": [1, 2], "len": len}), eval("[i for i in range(n)]", {"n": 3}))
space = {}
exec("def f(x):\n    return x + 1\ny = f(41)", space)
print(space["y"], callable(space["f"]), sorted(k for k in space if not k.startswith("__")))
import ast
tree = ast.parse("x = 1 + 2")
print(ast.literal_eval("{'a': (1, [2, None])}"), type(tree.body[0]).__name__, ast.unparse(tree))
