#!/usr/bin/env node
// solc as a program, as forge requires. The compiler is the npm package, so nothing is downloaded.
import { readFileSync } from "node:fs";
import solc from "solc";

if (process.argv.includes("--standard-json")) console.log(solc.compile(readFileSync(0, "utf8")));
else console.log(`solc, the solidity compiler commandline interface\nVersion: ${solc.version()}`);
