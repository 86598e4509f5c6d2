import { cpSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNode } from "../../../../src/node/create-node.ts";
import { bytesToHex } from "../../../../src/protocol/primitives/hex.ts";

/** Writes the block's number into 20 of 1,000 slots and logs it. */
const WRITER = "0x00000000000000000000000000000000000057a6";
const WRITER_CODE = "0x60145b60019003438143601402016103e890065580600257436000526020600060aaa100";

/** The data folder of a development chain whose node has stopped, or was killed. */
export interface SampleFolder {
  readonly path: string;
  /** A contract with storage and logs. */
  readonly contract: string;
  /** Number of the newest block. */
  readonly blocks: number;
  /** Hash of a transaction that the pool's journal keeps. */
  readonly waiting: string;
}

/**
 * How the last node ended:
 * - `stopped`: everything is in the database
 * - `killed`: everything is in the log
 * - `restarted`: the first half is in the database, the rest in the log
 */
export type Ending = "stopped" | "killed" | "restarted";

/** Makes a chain with two transactions a block: transfers and calls that write storage and logs; a key file; a waiting transaction. */
export async function sampleFolder(blocks: number, ending: Ending = "stopped"): Promise<SampleFolder> {
  const made = mkdtempSync(join(tmpdir(), "kairn-hostile-"));
  if (ending === "restarted") await withNode(made, (call, accounts) => fill(call, accounts, blocks / 2));
  const path = ending === "stopped" ? made : `${made}-killed`;
  const waiting = await withNode(made, async (call, accounts) => {
    await fill(call, accounts, blocks);
    await call("personal_importRawKey", "42".repeat(32), "passphrase");
    const hash = await call("eth_sendTransaction", { from: accounts[7], to: accounts[8], value: "0x1" });
    // The current content of the disk is what a kill leaves.
    if (path !== made) cpSync(made, path, { recursive: true, filter: (file) => !statSync(file).isSocket() });
    return hash as string;
  });
  if (path !== made) rmSync(made, { recursive: true });
  return { path, contract: WRITER, blocks, waiting };
}

type Call = (method: string, ...params: unknown[]) => Promise<unknown>;

async function withNode<T>(
  dataDir: string,
  use: (call: Call, accounts: readonly string[]) => Promise<T>,
): Promise<T> {
  await using node = await createNode({
    ...{ dev: true, dataDir, ipc: false, sealing: { kind: "manual" }, lightKdf: true },
  });
  const call: Call = (method, ...params) => node.provider.request({ method, params });
  return await use(
    call,
    (node.dev?.accounts ?? []).map(({ address }) => bytesToHex(address)),
  );
}

/** Continues a chain up to a block. */
async function fill(call: Call, accounts: readonly string[], blocks: number): Promise<void> {
  let number = Number(await call("eth_blockNumber"));
  if (number === 0) await call("anvil_setCode", WRITER, WRITER_CODE);
  for (; number < blocks; number++) {
    const from = accounts[number % 5];
    await call("eth_sendTransaction", { from, to: accounts[(number + 1) % 6], value: "0x123456789" });
    await call("eth_sendTransaction", { from, to: WRITER, gas: "0xf4240" });
    await call("evm_mine");
  }
}
