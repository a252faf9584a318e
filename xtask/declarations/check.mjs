// Compiles declarations with TypeScript, and asks it which values fit their types.
//
// Arguments: a file of cases and a file of answers, one JSON object a line each. Prints one JSON object.
import { readFileSync } from "node:fs";
import ts from "typescript";

const lines = (path) => readFileSync(path, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
const cases = lines(process.argv[2]);
const answers = lines(process.argv[3]);

// TypeScript refuses a value that shares no key with a type whose keys are all optional: a rule of thumb, not one of
// types. So every such type and every value get one key in common, a symbol, which no index signature speaks of.
const COMMON = "[common]?: undefined;";

// Literal types without the rule that a literal may name no other keys: schemas allow them.
const HEAD = `
declare const common: unique symbol;
type Plain<T> = T extends readonly unknown[] ? { -readonly [K in keyof T]: Plain<T[K]> }
  : T extends object ? { -readonly [K in keyof T]: Plain<T[K]> } & { ${COMMON} } : T;
declare function literal<const T>(value: T): Plain<T>;
type Out = Awaited<ReturnType<Tools["mcp__s__t"]>>;
`;

// The declarations with the common key in every type whose keys are all optional. Lines stay where they are.
const withCommonKey = (text) => {
  const places = [];
  const visit = (node) => {
    const isOptional = (member) => ts.isPropertySignature(member) && member.questionToken !== undefined;
    if (ts.isTypeLiteralNode(node) && node.members.length > 0 && node.members.every(isOptional)) places.push(node.getStart(source) + 1);
    ts.forEachChild(node, visit);
  };
  const source = ts.createSourceFile("declarations.ts", text, ts.ScriptTarget.ES2022);
  visit(source);
  const after = (changed, at) => `${changed.slice(0, at)} ${COMMON}${changed.slice(at)}`;
  return places.sort((a, b) => b - a).reduce(after, text);
};

// What a type can't say: bounds, whole numbers, "exactly one", that there are no other keys.
const UNSAID = /"(integer|minItems|minProperties|oneOf|additionalProperties)"/;

// TypeScript counts these as ends of lines, also inside of a text.
const written = (value) => JSON.stringify(value).replace(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`);

const files = new Map();
const places = new Map();
answers.forEach((answer, at) => {
  const values = cases[at].values ?? [];
  const head = `${withCommonKey(answer.typescript)}${HEAD}`;
  const first = head.split("\n").length - 1;
  const body = values.map((value, index) => `const v${index}: Out = literal(${written(value)});`);
  files.set(`/case${at}.ts`, `${head}${body.join("\n")}\n`);
  places.set(`/case${at}.ts`, { at, first, count: values.length });
});

const options = { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, types: [], skipLibCheck: true };
const host = ts.createCompilerHost(options);
const read = host.getSourceFile.bind(host);
host.getSourceFile = (name, version) =>
  files.has(name) ? ts.createSourceFile(name, files.get(name), version) : read(name, version);
host.fileExists = (name) => files.has(name) || ts.sys.fileExists(name);
const program = ts.createProgram([...files.keys()], options, host);

const failures = [];

// Ambient declarations share one scope with the libraries, so each is a program of its own.
const libraries = new Map();
const library = (name, version) => {
  if (!libraries.has(name)) libraries.set(name, read(name, version));
  return libraries.get(name);
};
answers.filter((answer) => answer.ambient).forEach((answer) => {
  const alone = { ...host, getSourceFile: (name, version) =>
    name === "/tools.d.ts" ? ts.createSourceFile(name, answer.ambient, version) : library(name, version) };
  alone.fileExists = (name) => name === "/tools.d.ts" || ts.sys.fileExists(name);
  const checked = ts.createProgram(["/tools.d.ts"], { ...options, skipLibCheck: false, skipDefaultLibCheck: true }, alone);
  const source = checked.getSourceFile("/tools.d.ts");
  for (const problem of [...checked.getSyntacticDiagnostics(source), ...checked.getSemanticDiagnostics(source)]) {
    failures.push(`the ambient form is refused: ${ts.flattenDiagnosticMessageText(problem.messageText, "\n")}\n${answer.ambient}`);
  }
});

const counts = { declarations: answers.length, accepted: 0, refused: 0 };
for (const [name, place] of places) {
  const source = program.getSourceFile(name);
  const refused = new Map();
  for (const problem of [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]) {
    const line = source.getLineAndCharacterOfPosition(problem.start ?? 0).line;
    const text = ts.flattenDiagnosticMessageText(problem.messageText, "\n");
    if (line < place.first) failures.push(`the declaration is refused: ${text}\n${files.get(name)}`);
    else refused.set(line - place.first, text);
  }
  const { schema, values = [] } = cases[place.at];
  const isExact = answers[place.at].losses === 0 && !UNSAID.test(JSON.stringify(schema));
  values.forEach((value, index) => {
    const valid = answers[place.at].valid[index];
    const shown = `${JSON.stringify(value)} under ${JSON.stringify(schema)}\n${answers[place.at].typescript}`;
    if (valid === true && refused.has(index)) failures.push(`valid, but refused: ${refused.get(index)}\n${shown}`);
    if (valid === false && isExact && !refused.has(index)) failures.push(`not valid, but accepted: ${shown}`);
    if (valid === true) counts.accepted += 1;
    if (valid === false && isExact) counts.refused += 1;
  });
}
console.log(JSON.stringify({ ...counts, failures }));
