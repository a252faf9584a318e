// Validates each case with a compiled Ajv validator and prints nanoseconds for one validation.

import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

const TIME = 50_000_000n; // nanoseconds for each case

function compile(schema) {
  const options = { strict: false, allErrors: false, validateFormats: false };
  const old = String(schema.$schema ?? "").includes("draft-07");
  return (old ? new Ajv(options) : new Ajv2020(options)).compile(schema);
}

function measure(validate, instance) {
  let count = 0;
  let batch = 1;
  const until = process.hrtime.bigint() + TIME;
  const start = process.hrtime.bigint();
  let now = start;
  while (now < until) {
    for (let i = 0; i < batch; i++) if (!validate(instance)) throw new Error("a valid instance was refused");
    count += batch;
    if (batch < 1024) batch *= 2;
    now = process.hrtime.bigint();
  }
  return Number(now - start) / count;
}

const times = {};
for (const { name, schema, instance } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const validate = compile(schema);
  measure(validate, instance); // lets the compiler of the engine warm up
  times[name] = measure(validate, instance);
}
console.log(JSON.stringify(times));
