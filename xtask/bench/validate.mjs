// Validates each case with a compiled Ajv validator and prints nanoseconds for one validation:
// over the first results after compiling, and in a long loop.

import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

const RESULTS = 100; // as many as a session may see of one tool
const TIME = 50_000_000n; // nanoseconds for each case

function compile(schema) {
  const options = { strict: false, allErrors: false, validateFormats: false };
  const old = String(schema.$schema ?? "").includes("draft-07");
  return (old ? new Ajv(options) : new Ajv2020(options)).compile(schema);
}

function check(validate, instance) {
  if (!validate(instance)) throw new Error("a valid instance was refused");
}

function first(validate, instance) {
  const start = process.hrtime.bigint();
  for (let i = 0; i < RESULTS; i++) check(validate, instance);
  return Number(process.hrtime.bigint() - start) / RESULTS;
}

function steady(validate, instance) {
  let count = 0;
  let batch = 1;
  const start = process.hrtime.bigint();
  let now = start;
  while (now < start + TIME) {
    for (let i = 0; i < batch; i++) check(validate, instance);
    count += batch;
    if (batch < 1024) batch *= 2;
    now = process.hrtime.bigint();
  }
  return Number(now - start) / count;
}

const times = {};
for (const { name, schema, instance } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const validate = compile(schema);
  const few = first(validate, instance);
  steady(validate, instance); // lets the engine's compiler warm up
  times[name] = { first: few, steady: steady(validate, instance) };
}
console.log(JSON.stringify(times));
