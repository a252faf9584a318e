// What a library without a server of its own needs to be a gateway: an MCP server with one tool that
// runs a program, and a client for the upstream.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

export const [program, ...programArguments] = process.argv.slice(2);

/** The upstream whose command is in argv: its tools, and a call that returns the structured result. */
export async function upstream() {
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(new StdioClientTransport({ command: program, args: programArguments }));
  const { tools } = await client.listTools();
  const call = async (name, input) => (await client.callTool({ name, arguments: input })).structuredContent;
  return { tools, call };
}

/** Serves `execute`; a failed program is a failed call. */
export async function serve(execute) {
  const server = new McpServer({ name: "bench", version: "1" });
  const config = { description: "Runs a program.", inputSchema: { code: z.string() } };
  server.registerTool("execute", config, async ({ code }) => {
    const text = String(await execute(code));
    return { content: [{ type: "text", text }] };
  });
  await server.connect(new StdioServerTransport());
}
