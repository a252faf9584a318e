import _bashkit, marshal
new, _, code = _bashkit.http("boot", "", (), None, None)
code = compile(code, "<mortise>", "exec", 0, True, 2) if new else marshal.loads(code)
new and _bashkit.http("compiled", "", (), marshal.dumps(code), None)
exec(code, {"__name__": "mortise", "host": _bashkit.http})
