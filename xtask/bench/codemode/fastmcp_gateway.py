"""FastMCP's CodeMode over the upstream whose command is in argv. The session to the upstream is kept."""

import asyncio
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.experimental.transforms.code_mode import CodeMode
from fastmcp.server import create_proxy


async def main():
    program, *arguments = sys.argv[1:]
    async with Client(StdioTransport(command=program, args=arguments)) as upstream:
        server = create_proxy(upstream, name="bench")
        # By default the fifty-first call of a program is refused.
        server.add_transform(CodeMode(max_tool_calls=None))
        await server.run_async(transport="stdio", show_banner=False)


asyncio.run(main())
