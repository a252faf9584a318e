// Drives the official TypeScript client, version 1; job and answer are those of python_client.py.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const job = JSON.parse(process.argv[2]);
const client = new Client(
  { name: "interop-typescript-v1", version: "1.0.0" },
  job.answers ? { capabilities: { elicitation: { form: {} } } } : {},
);

const asked = [];
if (job.answers) {
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    const content = job.answers[asked.length];
    asked.push(params.message);
    return content ? { action: "accept", content } : { action: "decline" };
  });
}

function transport() {
  if (job.url) return new StreamableHTTPClientTransport(new URL(job.url));
  const [command, ...args] = job.command;
  return new StdioClientTransport({ command, args, env: { ...process.env, ...job.env } });
}

async function listTools() {
  const tools = [];
  let cursor;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

async function call({ tool, arguments: args }) {
  try {
    return await client.callTool({ name: tool, arguments: args });
  } catch (error) {
    return { refused: error.message };
  }
}

await client.connect(transport());
const tools = await listTools();
const calls = [];
for (const it of job.calls ?? []) calls.push(await call(it));
console.log(JSON.stringify({ tools, calls, asked }));
await client.close();
