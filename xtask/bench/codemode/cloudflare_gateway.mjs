// Cloudflare's codemode over the upstream whose command is in argv, in a local workerd. Calls of tools
// leave it through a service binding, which is a local HTTP request here.

import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Miniflare } from "miniflare";
import { serve, upstream } from "./glue.mjs";

const WORKER = `
import { DynamicWorkerExecutor } from "./index.js";

export default {
  async fetch(request, env) {
    const { code, names } = await request.json();
    const call = (name) => async (input) => {
      const options = { method: "POST", body: JSON.stringify({ name, input }) };
      return (await env.UPSTREAM.fetch("http://upstream/", options)).json();
    };
    const fns = Object.fromEntries(names.map((name) => [name, call(name)]));
    const executor = new DynamicWorkerExecutor({ loader: env.LOADER });
    return Response.json(await executor.execute(code, [{ name: "codemode", fns }]));
  },
};`;

const dist = "node_modules/@cloudflare/codemode/dist";
const require = createRequire(import.meta.url);
const acorn = join(dirname(require.resolve("acorn")), "acorn.mjs");
const module = (path, file) => ({ type: "ESModule", path, contents: readFileSync(file, "utf8") });
const shared = readdirSync(new URL(dist, import.meta.url)).filter((name) => /^(index|.*-.{8})\.js$/.test(name));

const { tools, call } = await upstream();
const names = tools.map((tool) => tool.name);
const miniflare = new Miniflare({
  compatibilityDate: "2026-06-01",
  modules: [
    { type: "ESModule", path: "worker.js", contents: WORKER },
    module("acorn", acorn),
    ...shared.map((name) => module(name, new URL(`${dist}/${name}`, import.meta.url))),
  ],
  workerLoaders: { LOADER: {} },
  serviceBindings: {
    async UPSTREAM(request) {
      const { name, input } = await request.json();
      return Response.json(await call(name, input));
    },
  },
});
await miniflare.ready;
await serve(async (code) => {
  const options = { method: "POST", body: JSON.stringify({ code, names }) };
  const { result, error } = await (await miniflare.dispatchFetch("http://worker/", options)).json();
  if (error) throw new Error(error);
  return result;
});
