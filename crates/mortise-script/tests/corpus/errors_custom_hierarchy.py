class AppError(Exception):
    code = 1
class NotFound(AppError):
    code = 44
    def __init__(self, what):
        super().__init__(f"{what} not found")
        self.what = what
def find(x):
    if x > 2:
        raise NotFound(x)
    return x
for x in (1, 3):
    try:
        print(find(x))
    except AppError as e:
        print(type(e).__name__, e.code, e, e.what, isinstance(e, Exception))
    else:
        print("fine")
    finally:
        print("done", x)
