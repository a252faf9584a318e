// Drives the official TypeScript client, version 2; job and answer are those of python_client.py.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const job = JSON.parse(process.argv[2]);
const client = new Client(
  { name: "interop-typescript-v2", version: "1.0.0" },
  { versionNegotiation: { mode: job.mode ?? "auto" }, ...(job.answers && { capabilities: { elicitation: { form: {} } } }) },
);

const asked = [];
if (job.answers) {
  client.setRequestHandler("elicitation/create", async ({ params }) => {
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

async function call({ tool, arguments: args }) {
  try {
    return await client.callTool({ name: tool, arguments: args });
  } catch (error) {
    return { refused: error.message };
  }
}

await client.connect(transport());
const { tools } = await client.listTools();
const calls = [];
for (const it of job.calls ?? []) calls.push(await call(it));
console.log(JSON.stringify({ protocol: client.getNegotiatedProtocolVersion?.(), tools, calls, asked }));
await client.close();
