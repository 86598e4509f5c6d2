#!/usr/bin/env node
// `node bench/rpc/phase.mjs PHASE --url http://127.0.0.1:8545 --pid PID [--ws URL] [--key 0x…] [--out FILE] [options]`: load on one
// running node, whose CPU time is counted. Prints one record per line and writes all of them to a file.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openChain } from "./chain.mjs";
import { load1 } from "./lib/proc.mjs";
import { meterOf } from "./meter.mjs";
import { contracts, loops } from "./phases/evm.mjs";
import { growth } from "./phases/growth.mjs";
import { keystore } from "./phases/keystore.mjs";
import { reads, webSocketReads } from "./phases/reads.mjs";
import { submit } from "./phases/submit.mjs";

const PHASES = { reads, ws: webSocketReads, submit, evm: loops, contracts, keystore, growth };
/** Amounts and times, by flag. */
const AMOUNTS = {
  secs: 2, // of each measurement of reads
  warm: 1, // seconds of load beforehand, to warm up nodes that compile while they run
  n: 20_000, // transfers
  tokens: 10_000, // token transfers
  senders: 400,
  conns: 32, // connections that submit
  gas: 100e6, // of a call of a loop
  "max-secs": 4, // seconds that such a call may take
  accounts: 100_000, // that a chain grows to
  "scrypt-reps": 3,
  timeout: 240, // seconds for a block
  "block-count": 200, // transfers of the block that is read
};
/** Texts, by flag. */
const TEXTS = {
  url: "",
  ws: "",
  key: "",
  pid: "",
  out: "",
  conc: "1,32,256",
  kinds: "transfer,token",
  run: "0",
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: Object.fromEntries(
    [...Object.keys(AMOUNTS), ...Object.keys(TEXTS)].map((name) => [name, { type: "string" }]),
  ),
});
const options = { ...TEXTS, ...AMOUNTS, ...values };
for (const name of Object.keys(AMOUNTS)) options[name] = Number(options[name]);
const run = PHASES[positionals[0]];
if (run === undefined || options.url === "") {
  console.error(`usage: phase.mjs ${Object.keys(PHASES).join("|")} --url URL`);
  process.exit(2);
}

const results = [];
const note = (record) => {
  results.push(record);
  if (options.out) writeFileSync(options.out, JSON.stringify({ load1: load1(), results }));
  console.log(JSON.stringify(record));
};
try {
  const chain = await openChain(options);
  await run({ options, chain, note, timed: meterOf(options.pid === "" ? undefined : Number(options.pid)) });
} catch (error) {
  note({ kind: positionals[0], error: String(error.message ?? error).slice(0, 300) });
}
process.exit(0);
