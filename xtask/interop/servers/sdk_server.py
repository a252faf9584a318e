"""A server made with the official Python SDK: typed results, results wrapped without a flag, an error.

Usage: sdk_server.py stdio | sdk_server.py http PORT
"""

import sys
from typing import TypedDict

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel

server = MCPServer("sdk-fixture")


class Point(BaseModel):
    x: float
    y: float


class Box(TypedDict):
    low: Point
    high: Point


@server.tool()
def midpoint(a: Point, b: Point) -> Point:
    """An object with a schema; the arguments are objects too."""
    return Point(x=(a.x + b.x) / 2, y=(a.y + b.y) / 2)


@server.tool()
def box(points: list[Point]) -> Box:
    """A nested object with definitions."""
    xs, ys = [point.x for point in points], [point.y for point in points]
    return Box(low=Point(x=min(xs), y=min(ys)), high=Point(x=max(xs), y=max(ys)))


@server.tool()
def squares(count: int) -> list[int]:
    """An array, wrapped without a flag."""
    return [index * index for index in range(count)]


@server.tool()
def maybe(give: bool) -> str | None:
    """A string or nothing, wrapped without a flag."""
    return "here" if give else None


@server.tool(structured_output=False)
def plain(text: str) -> str:
    """Text without a schema."""
    return text[::-1]


@server.tool()
def refuses() -> Point:
    """Always a tool error."""
    raise ValueError("no point today")


if sys.argv[1] == "http":
    server.run(transport="streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
else:
    server.run(transport="stdio")
