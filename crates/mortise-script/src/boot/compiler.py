import _bashkit, builtins, marshal
code = compile(_bashkit.http("source", "", (), None, None)[2], "<mortise>", "exec", 0, True, 2)
_bashkit.http("compiled", "", (), marshal.dumps(code), None)
exec(code, {"__name__": "mortise", "__builtins__": {**vars(builtins)}, "host": _bashkit.http})
