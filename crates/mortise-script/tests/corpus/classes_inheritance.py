from abc import ABC, abstractmethod
class Shape(ABC):
    def __init__(self, name):
        self.name = name
    @abstractmethod
    def area(self): ...
    def __repr__(self):
        return f"{type(self).__name__}({self.name}, {self.area():.2f})"
class Circle(Shape):
    def __init__(self, r):
        super().__init__("circle")
        self.r = r
    def area(self):
        return 3.14159 * self.r ** 2
class Square(Shape):
    def __init__(self, a):
        super().__init__("square")
        self.a = a
    def area(self):
        return self.a ** 2
print(sorted([Circle(1), Square(2), Square(1.5)], key=lambda s: s.area()))
try:
    Shape("x")
except TypeError as e:
    print("abstract")
print([c.__name__ for c in Circle.__mro__], issubclass(Square, Shape))
