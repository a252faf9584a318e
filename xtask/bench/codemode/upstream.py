"""The server behind every gateway, made with the official Python SDK: a small call and many rows."""

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel

server = MCPServer("bench")
REGIONS = ("north", "east", "south", "west")


class Twice(BaseModel):
    value: int


class Row(BaseModel):
    region: str
    amount: int
    units: int


class Table(BaseModel):
    rows: list[Row]


@server.tool()
def twice(n: int) -> Twice:
    """Twice a number."""
    return Twice(value=2 * n)


@server.tool()
def table(count: int) -> Table:
    """Rows of sales."""
    return Table(
        rows=[Row(region=REGIONS[n % 4], amount=n * 7 % 1000, units=n % 5) for n in range(count)]
    )


server.run(transport="stdio")
