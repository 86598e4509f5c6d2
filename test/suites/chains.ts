// Imports recorded chains and compares everything recorded about them. `KAIRN_CHAINS` names another folder of such chains;
// arguments restrict the run to those whose name contains one of them. With `KAIRN_BLOCK_SLICE` a transaction that takes longer
// than that many milliseconds is moved to a thread, with 0 all are; without, all are executed synchronously.
import { createReadStream, existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseGenesis } from "../../src/ledger/chain/genesis/genesis.ts";
import { initialGenesis } from "../../src/ledger/chain/genesis/genesis-init.ts";
import { readBlocks } from "../../src/ledger/chain/import/chain-file.ts";
import { createBlockTurns } from "../../src/node/sealing/block-turns.ts";
import { type Ledger, openLedger } from "../../src/node/storage/ledger.ts";
import { systemRuntime } from "../../src/platform/runtime/system.ts";
import type { Block } from "../../src/protocol/block/block.ts";
import { createInlineRecovery } from "../../src/protocol/transaction/signatures/recovery.ts";
import { checksOf } from "./chains/checks.ts";
import { type Recording, readRecording } from "./chains/recording.ts";
import {
  checkRefusal,
  checkRefusalCounts,
  RECORDED_REFUSALS,
  type Refusal,
  refusalsOf,
} from "./chains/refusals.ts";
import { compilerOfSuite } from "./engine-parts.ts";

/** Maximum differences shown per chain; the rest is only counted. */
const SHOWN = 20;

const root = process.env["KAIRN_CHAINS"] ?? fileURLToPath(new URL("../fixtures/chains", import.meta.url));
/** Whether the chains are our own, about which more is known than they contain. */
const isOurs = process.env["KAIRN_CHAINS"] === undefined;
const wanted = process.argv.slice(2);
const isChain = (folder: string) => existsSync(join(folder, "chain.rlp.gz"));
const folders = isChain(root)
  ? [root]
  : readdirSync(root)
      .sort()
      .map((name) => join(root, name))
      .filter(isChain);

const sliceMs = process.env["KAIRN_BLOCK_SLICE"];
if (sliceMs !== undefined)
  await (await import(new URL("../../scripts/build-execution.mjs", import.meta.url).href)).setup();
const turns = sliceMs === undefined ? undefined : createBlockTurns({ sliceMs: Number(sliceMs) });

let passed = 0;
let failed = 0;
for (const folder of folders) {
  const name = basename(folder);
  if (wanted.length === 0 || wanted.some((part) => name.includes(part)))
    await runChain(name, readRecording(folder));
}
if (isOurs) {
  const missing = Object.keys(RECORDED_REFUSALS).filter(
    (name) => !folders.some((each) => basename(each) === name),
  );
  for (const name of missing) await judge(`${name}: recording`, () => Promise.reject(new Error("not found")));
}
await turns?.stop();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

async function runChain(name: string, recording: Recording): Promise<void> {
  const before = { passed, failed };
  const ledger = await openLedger({
    genesis: initialGenesis(parseGenesis(recording.genesis)),
    history: "archive",
    recovery: createInlineRecovery,
    runtime: systemRuntime,
    blockTurns: turns?.turns,
    compiler: compilerOfSuite(),
  });
  let shown = 0;
  const refusals = refusalsOf(recording, ledger.chain.config.chainId);
  let sent = 0;
  const send = (refusal: Refusal) => {
    sent++;
    return judge(`${name}: ${refusal.name}`, () => checkRefusal(refusal, ledger));
  };
  await judge(`${name}: import`, () => importChain(ledger, recording, refusals, send));
  for (const check of checksOf(ledger, recording)) {
    if (!(await judge(`${name}: ${check.name}`, () => check.run(), shown < SHOWN))) shown++;
  }
  await ledger.store.close();
  const withoutBytes = recording.sent.filter(
    ({ rejected, raw }) => rejected !== undefined && raw === undefined,
  ).length;
  if (isOurs)
    await judge(`${name}: number of refusals`, async () => checkRefusalCounts(name, { sent, withoutBytes }));
  console.log(
    `${name}: ${passed - before.passed} passed, ${failed - before.failed} failed; refusals: ${sent} sent again, ` +
      `${withoutBytes} recorded without their bytes`,
  );
}

/** Imports a chain; rejected transactions are sent when the chain is as long as it was then. */
async function importChain(
  { importer, chain }: Ledger,
  { chainFile }: Recording,
  refusals: readonly Refusal[],
  send: (refusal: Refusal) => Promise<unknown>,
): Promise<void> {
  const blocks = readBlocks(createReadStream(chainFile));
  for (const refusal of refusals) {
    const missing = Number(refusal.after - chain.head.header.number);
    if (missing > 0) await importer.importAll(firstOf(blocks, missing));
    await send(refusal);
  }
  await importer.importAll(blocks);
}

/** The next blocks of a stream, which stays open. */
async function* firstOf(blocks: AsyncGenerator<Block>, count: number): AsyncGenerator<Block> {
  for (let i = 0; i < count; i++) {
    const { value, done } = await blocks.next();
    if (done) return;
    yield value;
  }
}

/** Runs one comparison and counts it. @returns whether it passed */
async function judge(name: string, run: () => void | Promise<void>, isShown = true): Promise<boolean> {
  try {
    await run();
    passed++;
    return true;
  } catch (error) {
    failed++;
    if (isShown) console.log(`FAILED ${name}: ${error instanceof Error ? error.message : error}`);
    return false;
  }
}
