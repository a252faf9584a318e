class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, obj, owner=None):
        return self if obj is None else getattr(obj, self.name)
    def __set__(self, obj, value):
        if value <= 0:
            raise ValueError(f"{self.name[1:]} must be positive, not {value}")
        setattr(obj, self.name, value)
class Box:
    width, height = Positive(), Positive()
    def __init__(self, width, height):
        self.width, self.height = width, height
    @property
    def area(self):
        return self.width * self.height
    @classmethod
    def square(cls, n):
        return cls(n, n)
    @staticmethod
    def unit():
        return Box(1, 1)
print(Box(2, 3).area, Box.square(4).area, Box.unit().area, vars(Box(2, 3)))
try:
    Box(1, -1)
except ValueError as e:
    print(e)
