// `npm run bench -- storage [--blocks 100000] [--history full,archive]`: the disk and memory use of a chain that
// rewrites the same accounts and slots in every block, kept by a full node and by an archive.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { DEV_CHAIN, type DevSetup, prepareDevChain } from "../src/node/dev/dev-chain.ts";
import type { Ledger } from "../src/node/storage/ledger.ts";
import { openSealedChain } from "../src/node/testing/sealed-chain.ts";
import { hexToBytes } from "../src/protocol/primitives/hex.ts";
import { signTransaction } from "../src/protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../src/protocol/transaction/transaction.ts";
import { transactionTypeByName } from "../src/protocol/transaction/type-table.ts";
import { createTransaction } from "../src/protocol/transaction/value.ts";

const { values } = parseArgs({
  options: {
    blocks: { type: "string", default: "100000" },
    history: { type: "string", default: "full,archive" },
  },
});
const blocks = Number(values.blocks);
/** Points of measurement, as shares of all blocks. */
const POINTS = [0.1, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * blocks));

/** Writes the block's number into 20 of 1,000 slots, the next 20 in the next block. */
const WRITER = "0x00000000000000000000000000000000000057a6";
const WRITER_CODE = "0x60145b60019003438143601402016103e89006558060025700";

for (const history of values.history.split(",")) await measure(history === "archive" ? "archive" : "full");

async function measure(history: "full" | "archive"): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "kairn-storage-"));
  const setup = await prepareDevChain(DEV_CHAIN);
  const { ledger, seal } = await openSealedChain({
    ...{ history, directory, validatorKey: setup.validatorKey },
    genesis: withWriter(setup.genesis) as never,
  });
  try {
    for (let number = 1; number <= blocks; number++) {
      await seal(...[0, 1, 2].map((i) => transaction(setup, number, i)));
      if (!POINTS.includes(number)) continue;
      await ledger.chain.published();
      print(history, ledger, directory, number);
    }
  } finally {
    await ledger.store.close();
    console.log(`${history}: closed: ${files(directory)}`);
    rmSync(directory, { recursive: true });
  }
}

function withWriter(genesis: object): object {
  const { alloc, ...rest } = genesis as { alloc: object };
  return { ...rest, alloc: { ...alloc, [WRITER]: { balance: "0x0", code: WRITER_CODE } } };
}

/** Two transfers and a call of the writer, each from a different account. */
function transaction({ accounts, chainId }: DevSetup, number: number, i: number): Transaction {
  const [sender, receiver] = [accounts[i], accounts[(i + number) % accounts.length]];
  const unsigned = createTransaction({
    type: transactionTypeByName("TxTypeLegacyTransaction") as never,
    ...{ nonce: BigInt(number - 1), gasPrice: 100_000_000_000n, gas: 1_000_000n, input: new Uint8Array(0) },
    ...(i === 2 ? { to: hexToBytes(WRITER), value: 0n } : { to: receiver?.address as Uint8Array, value: 1n }),
  });
  return signTransaction(unsigned, [sender?.privateKey as Uint8Array], chainId);
}

function print(history: string, { store }: Ledger, directory: string, number: number): void {
  const tables = [...store.tableSizes()].filter(([, { rows }]) => rows > 0);
  const { storeBytes } = store.stats();
  console.log(
    `${history}: block ${number}: ${perBlock(storeBytes, number)} bytes per block, ` +
      `files in MiB: ${files(directory)}; memory without file behind it: ${anonymous()} MiB`,
  );
  for (const [name, { rows, bytes }] of tables)
    console.log(`  ${name.padEnd(14)} ${rows} rows, ${bytes} bytes, ${perBlock(bytes, number)} per block`);
}

function perBlock(bytes: number, number: number): string {
  return (bytes / number).toFixed(1);
}

/** Unlike the resident set it leaves out the pages of the database's file. */
function anonymous(): string {
  const kib = /Anonymous:\s+(\d+)/.exec(readFileSync("/proc/self/smaps_rollup", "utf8"))?.[1];
  return (Number(kib) / 1024).toFixed(0);
}

function files(directory: string): string {
  return readdirSync(directory)
    .map((name) => `${name} ${(statSync(join(directory, name)).size / 2 ** 20).toFixed(1)}`)
    .join(", ");
}
