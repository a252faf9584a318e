try:
    from typing_extensions import TypedDict
except ImportError:
    from typing import TypedDict
print(TypedDict)
