import copy
o = (await mcp__shop__orders())[0]
shallow, deep = copy.copy(o), copy.deepcopy(o)
o["items"][0]["quantity"] = 99
print(shallow["items"][0]["quantity"], deep["items"][0]["quantity"] == 99, shallow["items"] is o["items"])
def f(x, acc=[]):
    acc.append(x)
    return acc
print(f(1), f(2), f(3, []), f(4))
a = b = []
b += [1]
print(a, a is b, (1, [2])[1], None is None, [] == [], [] is [])
