// Prints schemas with values to try on them, one JSON object a line. The same every time.
let state = 20260701;
const random = (below) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 4294967296) * below);
};
const pick = (list) => list[random(list.length)];
const some = (most, make) => Array.from({ length: random(most + 1) }, make);
const NAMES = ["a", "b", "kind", "weird-key", "2nd", "class", "str", "*/ }; import x", "\u2028`${x}```", '"""\\', "__x"];
const LITERALS = ["x", "y", 1, -2, true, null, '"', "*/"];

function schema(depth) {
  const inner = () => schema(depth - 1);
  const kinds = ["string", "integer", "number", "boolean", "null", "any", "enum", "const", "types", "ref"];
  if (depth > 0) kinds.push("object", "object", "object", "array", "array", "tuple", "map", "anyOf", "oneOf", "allOf");
  const kind = pick(kinds);
  switch (kind) {
    case "any": return pick([true, {}]);
    case "enum": return { enum: [...new Set([pick(LITERALS), pick(LITERALS)])] };
    case "const": return { const: pick(LITERALS) };
    case "types": return { type: ["string", pick(["null", "number", "boolean"])] };
    case "ref": return { $ref: pick(["#/$defs/A", "#/$defs/B"]), description: pick(["", "*/ evil", "```"]), ...beside(0) };
    case "array": return { type: "array", items: inner() };
    case "tuple": return { type: "array", prefixItems: [inner(), inner()], items: pick([false, true]), minItems: random(3) };
    case "map": return { type: "object", additionalProperties: inner() };
    case "anyOf": case "oneOf": case "allOf": return { [kind]: [inner(), inner()], ...beside(depth - 1) };
    case "object": {
      const properties = Object.fromEntries(some(3, () => [pick(NAMES), inner()]));
      const required = Object.keys(properties).filter(() => random(2));
      const extra = pick([{}, {}, { additionalProperties: false }, { additionalProperties: { type: "number" } }, { minProperties: 1 }]);
      return { type: "object", properties, required, description: pick([undefined, "two\nlines */"]), ...extra };
    }
    default: return { type: kind };
  }
}

// What stands beside a reference or a union: mostly nothing.
function beside(depth) {
  const property = () => ({ [pick(NAMES)]: schema(Math.max(depth, 0)) });
  switch (random(8)) {
    case 0: return { type: pick(["string", "object", "number"]) };
    case 1: return { const: pick(LITERALS) };
    case 2: return { type: "object", properties: property() };
    case 3: return { type: "object", properties: property(), additionalProperties: pick([false, { type: "string" }]) };
    default: return {};
  }
}

// A value that has a chance: most of it follows the schema.
function value(from, root, depth) {
  if (random(8) === 0 || depth > 4 || from === true || from === undefined) return pick(["x", "y", 1, 0.5, true, null, [], {}, [1], { a: "x" }]);
  if (from.$ref) return joined(value(root.$defs[from.$ref.slice(-1)], root, depth + 1), from, root, depth);
  if (from.enum) return pick(from.enum);
  if ("const" in from) return from.const;
  const branches = from.anyOf ?? from.oneOf ?? from.allOf;
  if (branches) return joined(value(pick(branches), root, depth + 1), from, root, depth);
  switch (Array.isArray(from.type) ? pick(from.type) : from.type) {
    case "string": return pick(["x", "y", "*/"]);
    case "integer": return random(5);
    case "number": return pick([0.5, 2]);
    case "boolean": return random(2) === 1;
    case "null": return null;
    case "array": return from.prefixItems ? from.prefixItems.map((item) => value(item, root, depth + 1)) : some(2, () => value(from.items, root, depth + 1));
    case "object": {
      const keys = Object.keys(from.properties ?? {}).filter((key) => from.required?.includes(key) || random(2));
      const object = Object.fromEntries(keys.map((key) => [key, value(from.properties[key], root, depth + 1)]));
      if (typeof from.additionalProperties === "object" && random(2)) object.other = value(from.additionalProperties, root, depth + 1);
      return object;
    }
    default: return pick(["x", 1, null]);
  }
}

// A value of a branch with what the properties beside it ask for.
function joined(inner, from, root, depth) {
  const isObject = inner !== null && typeof inner === "object" && !Array.isArray(inner);
  if (!isObject || !from.properties) return inner;
  const { anyOf, oneOf, allOf, $ref, ...own } = from;
  return { ...value(own, root, depth + 1), ...inner };
}

for (let at = 0; at < Number(process.argv[2]); at += 1) {
  const root = schema(3);
  const whole = root === true ? {} : root;
  whole.$defs = { A: schema(1), B: { type: "object", properties: { next: { $ref: "#/$defs/B" }, v: schema(0) } } };
  const values = Array.from({ length: 6 }, () => value(whole, whole, 0));
  console.log(JSON.stringify({ schema: whole, values }));
}
