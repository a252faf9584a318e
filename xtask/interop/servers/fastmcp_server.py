"""A server made with FastMCP: typed results of every shape, wrapped ones, an error, a contract that is broken.

Usage: fastmcp_server.py stdio | fastmcp_server.py http PORT
"""

import sys
from typing import Annotated

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import ToolResult
from pydantic import BaseModel, Field

server = FastMCP("fastmcp-fixture")


class Reading(BaseModel):
    station: str
    celsius: Annotated[float, Field(ge=-90, le=60)]
    tags: list[str] = []


@server.tool
def reading(station: str) -> Reading:
    """One reading: an object with a schema."""
    return Reading(station=station, celsius=21.5, tags=["dry"])


@server.tool
def readings(count: int) -> list[Reading]:
    """Several readings: an array, which FastMCP wraps and flags."""
    return [Reading(station=f"s{index}", celsius=index) for index in range(count)]


@server.tool
def total(values: list[int]) -> int:
    """A number, wrapped and flagged."""
    return sum(values)


@server.tool
def plain(text: str):
    """Text without a schema."""
    return text.upper()


@server.tool
def refuses(reason: str) -> Reading:
    """Always a tool error."""
    raise ToolError(reason)


@server.tool(output_schema={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
def lies() -> ToolResult:
    """Declares an integer and returns a string."""
    return ToolResult(structured_content={"n": "seven"})


if sys.argv[1] == "http":
    server.run(transport="http", host="127.0.0.1", port=int(sys.argv[2]), show_banner=False)
else:
    server.run(transport="stdio", show_banner=False)
