import operator, re
ops = {"+": (1, operator.add), "-": (1, operator.sub), "*": (2, operator.mul), "/": (2, operator.truediv), "^": (3, operator.pow)}
def evaluate(text):
    output, stack = [], []
    def reduce():
        b, a = output.pop(), output.pop()
        output.append(ops[stack.pop()][1](a, b))
    for token in re.findall(r"\d+\.?\d*|[-+*/^()]", text):
        if token[0].isdigit():
            output.append(float(token))
        elif token == "(":
            stack.append(token)
        elif token == ")":
            while stack[-1] != "(":
                reduce()
            stack.pop()
        else:
            while stack and stack[-1] != "(" and ops[stack[-1]][0] >= ops[token][0] and token != "^":
                reduce()
            stack.append(token)
    while stack:
        reduce()
    return output[0]
for e in ("1 + 2 * 3", "(1 + 2) * 3", "2 ^ 3 ^ 2", "10 / 4 - 1", "7"):
    print(e, "=", evaluate(e))
try:
    evaluate("1 / 0")
except ZeroDivisionError as e:
    print(type(e).__name__)
