from enum import Enum, IntEnum, Flag, auto
class Status(Enum):
    OPEN = "open"
    PAID = "paid"
    CANCELLED = "cancelled"
    @property
    def is_final(self):
        return self is not Status.OPEN
class Level(IntEnum):
    LOW = 1
    HIGH = 3
class Access(Flag):
    READ = auto()
    WRITE = auto()
counts = {s: 0 for s in Status}
for o in await mcp__shop__orders():
    counts[Status(o["status"])] += 1
print({s.name: n for s, n in counts.items()}, [s.is_final for s in Status])
print(Level.HIGH > Level.LOW, sorted([Level.HIGH, Level.LOW])[0].name, (Access.READ | Access.WRITE).value, Access.READ in (Access.READ | Access.WRITE))
try:
    Status("lost")
except ValueError as e:
    print(e)
