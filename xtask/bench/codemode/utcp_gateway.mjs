// UTCP's code-mode over the upstream whose command is in argv, through UTCP's own MCP plugin.

import { CodeModeUtcpClient } from "@utcp/code-mode";
import "@utcp/mcp";
import { program, programArguments, serve } from "./glue.mjs";

// Its progress messages go to the console; standard output belongs to the protocol.
console.log = console.info = () => {};

const server = { transport: "stdio", command: program, args: programArguments };
const client = await CodeModeUtcpClient.create();
await client.registerManual({ name: "bench", call_template_type: "mcp", config: { mcpServers: { up: server } } });
await serve(async (code) => {
  const { result, logs } = await client.callToolChain(code);
  // A failed program comes back as null with the reason in the logs.
  if (result === null) throw new Error(logs.join("\n"));
  return result;
});
