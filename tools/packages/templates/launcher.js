#!/usr/bin/env node
// Runs the program of the package for this system, which npm installed as an optional dependency.
"use strict";

const { spawnSync } = require("node:child_process");

const platform = `${process.platform}-${process.arch}`;
const name = `@secondhand-audit/${platform}`;

let program;
try {
  program = require.resolve(`${name}/bin/secondhand${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`error: there is no program for ${platform} here: the package ${name} is not installed`);
  console.error("  help: install without `--omit=optional`; a lock file that was made on another system may have to be made anew");
  // As of any audit that could not be done: never the status of a clean one.
  process.exit(2);
}

const { status, signal, error } = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (error) {
  console.error(`error: cannot run ${program}: ${error.message}`);
  process.exit(2);
}
if (signal) {
  process.kill(process.pid, signal);
}
process.exit(status ?? 2);
