// `npx tsx bench/accounts.mts [--accounts 1000000] [--wait 0]`: what a touched account costs as the state grows. A chain on disk gets a thousand
// accounts, then ten times as many, and so on; at each size, blocks of a thousand payments to accounts that exist, spread over all of
// them, are executed, hashed and written. Prints CPU time of all threads a payment, anonymous memory, and the time to reopen the folder.
// `--wait`: seconds before the measurement, in which the pages of the reopened file are checked, some 5,000 a second.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { DEV_CHAIN, prepareDevChain } from "../src/node/dev/dev-chain.ts";
import { openSealedChain, type SealedChain } from "../src/node/testing/sealed-chain.ts";
import { hexToBytes } from "../src/protocol/primitives/hex.ts";
import { signTransaction } from "../src/protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../src/protocol/transaction/transaction.ts";
import { transactionTypeByName } from "../src/protocol/transaction/type-table.ts";
import { createTransaction } from "../src/protocol/transaction/value.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { accounts: { type: "string", default: "1000000" }, wait: { type: "string", default: "0" } },
});
const most = Number(values.accounts);
const SIZES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000].filter((size) => size <= most);

/** Pays 1 peb to `count` accounts, the i-th of which is number (start + i · step) mod size: four words of input, in this order. */
const PAYER = "0x00000000000000000000000000000000000a7e57";
const PAYER_CODE =
  "0x6040355b5f5f5f5f600160603560003560203588020106641000000000015ff1506001900380600357" + "00";
const PAYMENTS = 250;
/** Transactions of a block, each from a different account. */
const SENDERS = 4;
const WARM_UP_BLOCKS = 20;
const BLOCKS = 40;
/** A prime that shares no factor with any size. */
const STEP = 7_919n;

const word = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, "0");
const setup = await prepareDevChain(DEV_CHAIN);
const { alloc, ...genesis } = setup.genesis as unknown as { alloc: object };
const payer = { balance: `0x${(10n ** 24n).toString(16)}`, code: PAYER_CODE };
const directory = positionals[0] ?? mkdtempSync(join(tmpdir(), "kairn-accounts-"));
const open = (): Promise<SealedChain> =>
  openSealedChain({
    ...{ directory, validatorKey: setup.validatorKey },
    genesis: { ...genesis, alloc: { ...alloc, [PAYER]: payer } } as never,
  });

/** Measured in a separate process, so that its memory is not that of the growth: the folder, its accounts and the senders' nonce. */
const [folder, atSize, atNonce] = positionals;
let nonce = BigInt(atNonce ?? 0);
let chain: SealedChain;
if (folder === undefined) await grow();
else await measure(Number(atSize));

async function grow(): Promise<void> {
  try {
    let size = 0;
    for (const next of SIZES) {
      chain = await open();
      while (size < next) {
        const count = Math.min(PAYMENTS, (next - size) / SENDERS);
        await seal(size, 1n, count, next);
        size += count * SENDERS;
      }
      await chain.ledger.store.close();
      const script = [...process.execArgv, fileURLToPath(import.meta.url), "--wait", values.wait];
      const args = [...script, directory, `${size}`, `${nonce}`];
      if (spawnSync(process.execPath, args, { stdio: "inherit" }).status !== 0) process.exit(1);
      nonce += BigInt(WARM_UP_BLOCKS + BLOCKS);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function measure(size: number): Promise<void> {
  const opening = performance.now();
  chain = await open();
  const opened = performance.now() - opening;
  await setTimeout(Number(values.wait) * 1000);
  for (let block = 0; block < WARM_UP_BLOCKS; block++) await payAnyone(size, block);
  await chain.ledger.chain.published();
  const before = process.cpuUsage();
  for (let block = 0; block < BLOCKS; block++) await payAnyone(size, WARM_UP_BLOCKS + block);
  await chain.ledger.chain.published();
  const { user, system } = process.cpuUsage(before);
  const each = (user + system) / (BLOCKS * SENDERS * PAYMENTS);
  console.log(
    `${size} accounts: ${each.toFixed(1)} µs a payment, ${anonymous()} MiB anonymous, opened in ${opened.toFixed(0)} ms`,
  );
  await chain.ledger.store.close();
}

async function payAnyone(size: number, block: number): Promise<void> {
  await seal((block * 104_729) % size, STEP, PAYMENTS, size);
}

/** One block of payments. */
async function seal(start: number, step: bigint, count: number, size: number): Promise<void> {
  const transactions = Array.from({ length: SENDERS }, (_, i) =>
    transaction(
      i,
      `${word(BigInt(start) + BigInt(i * count) * step)}${word(step)}${word(count)}${word(size)}`,
    ),
  );
  nonce++;
  const { receipts } = await chain.seal(...transactions);
  if (receipts.some(({ status }) => Number(status) !== 1)) throw new Error("a payment failed");
}

function transaction(i: number, input: string): Transaction {
  const unsigned = createTransaction({
    type: transactionTypeByName("TxTypeLegacyTransaction") as never,
    ...{ nonce, gasPrice: 750_000_000_000n, gas: 12_000_000n, input: hexToBytes(`0x${input}`) },
    ...{ to: hexToBytes(PAYER), value: 0n },
  });
  return signTransaction(unsigned, [setup.accounts[i]?.privateKey as Uint8Array], setup.chainId);
}

/** MiB; without the pages of the database's file. */
function anonymous(): string {
  const kib = /Anonymous:\s+(\d+)/.exec(readFileSync("/proc/self/smaps_rollup", "utf8"))?.[1];
  return (Number(kib) / 1024).toFixed(0);
}
