// Validates each case with a compiled Ajv validator and prints nanoseconds for one validation: over the first
// results after compiling, in a long loop, and in a long loop from the text of the whole result.

import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

const RESULTS = 100; // as many as a session may see of one tool
const BATCH = 500_000; // nanoseconds, about: short enough that others seldom interrupt
const BATCHES = 101;

function compile(schema) {
  const options = { strict: false, allErrors: false, validateFormats: false };
  const old = String(schema.$schema ?? "").includes("draft-07");
  return (old ? new Ajv(options) : new Ajv2020(options)).compile(schema);
}

function time(count, check) {
  const start = process.hrtime.bigint();
  for (let i = 0; i < count; i++) {
    if (!check()) throw new Error("a valid instance was refused");
  }
  return Number(process.hrtime.bigint() - start) / count;
}

// The median over many short batches, after as many that let the engine's compiler warm up.
function steady(check) {
  const count = Math.max(1, Math.round(BATCH / time(RESULTS, check)));
  for (let i = 0; i < BATCHES; i++) time(count, check);
  const times = Array.from({ length: BATCHES }, () => time(count, check));
  return times.sort((a, b) => a - b)[(BATCHES - 1) / 2];
}

const times = {};
for (const { name, schema, instance } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const validate = compile(schema);
  const text = JSON.stringify({ content: [], structuredContent: instance });
  const parsed = () => validate(instance);
  const whole = () => validate(JSON.parse(text).structuredContent);
  times[name] = { first: time(RESULTS, parsed), steady: steady(parsed), whole: steady(whole) };
}
console.log(JSON.stringify(times));
