import { bigintToFixedBytes } from "../../../../src/protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../src/protocol/primitives/hex.ts";
import { ask } from "./rpc.ts";

/** Accounts of the chain, a tenth of them with storage. */
export const ACCOUNTS = 4000;
const SLOTS = 20;
const EDITED_BLOCKS = 10;
const EDITS = 8;

/** Fills a development chain: accounts, slots, and blocks that change some of them. @returns the block before the changes */
export async function fillChain(port: number): Promise<number> {
  const accounts: Record<string, unknown> = {};
  for (let i = 0; i < ACCOUNTS; i++) {
    const storage: Record<string, string> = {};
    for (let slot = 0; slot < (i % 10 === 0 ? SLOTS : 0); slot++)
      storage[`0x${slot.toString(16)}`] = `0x${i + 1}`;
    accounts[addressOf(i)] = { nonce: 1, balance: "0x1", code: i % 10 === 0 ? "0x00" : "0x", storage };
  }
  const state = Buffer.from(JSON.stringify({ block: null, accounts })).toString("hex");
  await ask(port, "anvil_loadState", [`0x${state}`]);
  await ask(port, "anvil_mine", ["0x1"]);
  const before = Number(await ask(port, "eth_blockNumber"));
  for (let block = 0; block < EDITED_BLOCKS; block++) {
    for (let i = 0; i < EDITS; i++)
      await ask(port, "anvil_setBalance", [addressOf(block * EDITS + i), "0x7"]);
    await ask(port, "anvil_mine", ["0x1"]);
  }
  return before;
}

/** Address of one of the accounts. */
export function addressOf(index: number): string {
  return bytesToHex(bigintToFixedBytes(BigInt(index) * 0x9e3779b97f4a7c15n + 0x100000n, 20));
}
