// Vercel's code mode over the upstream whose command is in argv.

import { experimental_runCodeMode as runCodeMode } from "@ai-sdk/code-mode";
import { jsonSchema, tool } from "ai";
import { serve, upstream } from "./glue.mjs";

// By default the thirty-third call in flight is refused, and the 257th of a program.
const options = { executionPolicy: { maxInFlightBridgeRequests: 1_000, maxBridgeRequests: 10_000 } };

const { tools: listed, call } = await upstream();
const tools = {};
for (const { name, description, inputSchema } of listed) {
  tools[name] = tool({ description, inputSchema: jsonSchema(inputSchema), execute: (input) => call(name, input) });
}
await serve((js) => runCodeMode({ js, tools, options }));
