exec("answer = 42")
print(answer)
