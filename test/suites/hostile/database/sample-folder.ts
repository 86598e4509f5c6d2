import { cpSync, mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNode } from "../../../../src/node/create-node.ts";
import { bytesToHex } from "../../../../src/protocol/primitives/hex.ts";

/** Writes the block's number into 20 of 1,000 slots and logs it. */
const WRITER = "0x00000000000000000000000000000000000057a6";
const WRITER_CODE = "0x60145b60019003438143601402016103e890065580600257436000526020600060aaa100";

/** The data folder of a development chain whose node has stopped. */
export interface SampleFolder {
  readonly path: string;
  /** A contract with storage and logs. */
  readonly contract: string;
}

/** Makes a chain of some hundred transactions: transfers and calls that write storage and logs. */
export async function sampleFolder(blocks: number, { isKilled = false } = {}): Promise<SampleFolder> {
  const made = mkdtempSync(join(tmpdir(), "kairn-hostile-"));
  await using node = await createNode({ dev: true, dataDir: made, ipc: false, sealing: { kind: "manual" } });
  const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
  await call("anvil_setCode", WRITER, WRITER_CODE);
  const accounts = (node.dev?.accounts ?? []).map(({ address }) => bytesToHex(address));
  for (let number = 0; number < blocks; number++) {
    const from = accounts[number % 5];
    await call("eth_sendTransaction", { from, to: accounts[(number + 1) % 6], value: "0x123456789" });
    await call("eth_sendTransaction", { from, to: WRITER, gas: "0xf4240" });
    await call("evm_mine");
  }
  if (!isKilled) return { path: made, contract: WRITER };
  // The current content of the disk is what a kill leaves.
  const path = `${made}-killed`;
  cpSync(made, path, { recursive: true, filter: (file) => !statSync(file).isSocket() });
  return { path, contract: WRITER };
}
