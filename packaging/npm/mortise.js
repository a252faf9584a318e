#!/usr/bin/env node
// Starts the mortise binary of this platform, which npm installed as an optional dependency.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { isatty } = require("node:tty");

const name = `mortise-mcp-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/mortise`);
} catch {
  console.error(`error: the npm package ${name} is not installed, so there is no mortise for this machine`);
  console.error("hint: reinstall with optional dependencies (`npm install --include=optional mortise-mcp`)");
  console.error("hint: packages exist for Linux with glibc and for macOS, on x64 and arm64");
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });

for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2"]) {
  process.on(signal, () => {
    // A terminal sends Ctrl-C and Ctrl-\ to both of us: passed on, they would arrive twice.
    const fromTerminal = (signal === "SIGINT" || signal === "SIGQUIT") && [0, 1, 2].some((fd) => isatty(fd));
    if (!fromTerminal) child.kill(signal);
  });
}

child.on("error", (error) => {
  console.error(`error: cannot start ${program}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  process.exit(signal ? 128 + constants.signals[signal] : code);
});
