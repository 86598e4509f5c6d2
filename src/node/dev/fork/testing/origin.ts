import type { AccountKey } from "../../../../protocol/account/key.ts";
import { accountKeyToJson } from "../../../../protocol/account/key-json.ts";
import { compressPublicKey, publicKeyOf } from "../../../../protocol/crypto/secp256k1.ts";
import { hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { createNode, type Node } from "../../../create-node.ts";
import { COIN, devCalls, hex, STRANGER } from "../../testing/dev-calls.ts";

/** A word as 64 hex digits. */
export const word = (value: number): string => value.toString(16).padStart(64, "0");

/** With 64 bytes of input it stores the second word under the first; with 32 it returns the stored word. */
export const BOX = "0x000000000000000000000000000000000000b0c5";
export const BOX_CODE = "0x366040146013576000355460005260206000f35b60203560003555";

/** Logs its input under topic 1. */
export const LOGGER = "0x0000000000000000000000000000000000010660";
const LOGGER_CODE = "0x3660006000376001366000a100";

/** Returns the hash of the block with the given number. */
export const HASHER = "0x0000000000000000000000000000000000004a54";
const HASHER_CODE = "0x6000354060005260206000f3";

/** An account with a key for each role. */
export const MEMBER = "0x00000000000000000000000000000000000e4be5";
export const ROLE_KEYS = [1, 2, 3].map((n) => hexToBytes(`0x${word(0x1000 + n)}`));
export const MEMBER_KEY: AccountKey = {
  type: "roleBased",
  keys: ROLE_KEYS.map((key) => ({
    type: "public" as const,
    publicKey: compressPublicKey(publicKeyOf(key)),
  })),
};

/** A transaction that stores a value in the box. */
export const put = (slot: number, value: number) => ({
  to: BOX,
  data: `0x${word(slot)}${word(value)}`,
  gas: hex(200_000),
});

/** What the box holds in the newest block. */
export const stored = (calls: ReturnType<typeof devCalls>, slot: number): Promise<unknown> =>
  calls.call("eth_call", { to: BOX, data: `0x${word(slot)}` }, "latest");

/**
 * A chain to fork, with contracts, a role-based account and blocks.
 * @param modules - that it serves over HTTP; default all
 */
export async function openOrigin(modules?: readonly string[]): Promise<Node> {
  const node = await createNode({ http: { port: 0, ...(modules && { modules }) } });
  const { call, sent, own } = devCalls(() => node);
  await call("anvil_setBalance", STRANGER, hex(5n * COIN));
  await call("anvil_setCode", BOX, BOX_CODE);
  await call("anvil_setCode", LOGGER, LOGGER_CODE);
  await call("anvil_setCode", HASHER, HASHER_CODE);
  await call("anvil_setBalance", MEMBER, hex(COIN));
  await call("kairn_setAccountKey", MEMBER, accountKeyToJson(MEMBER_KEY));
  for (const slot of [1, 2, 3]) await sent("eth_sendTransaction", { from: own(0), ...put(slot, 11 * slot) });
  await sent("eth_sendTransaction", { from: own(1), to: LOGGER, data: "0xaa", gas: hex(100_000) });
  await call("anvil_mine", "0x3");
  return node;
}
