from dataclasses import dataclass, FrozenInstanceError
@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0
    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)
p = Point(1, 2)
try:
    p.x = 5
except FrozenInstanceError as e:
    print("frozen:", e)
print(p + Point(3), {p: "a"}[Point(1, 2)], hash(p) == hash(Point(1, 2)))
