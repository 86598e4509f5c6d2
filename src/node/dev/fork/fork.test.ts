import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { AccountKey } from "../../../protocol/account/key.ts";
import { accountKeyToJson } from "../../../protocol/account/key-json.ts";
import { compressPublicKey, publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { encodeTransaction } from "../../../protocol/transaction/encoding.ts";
import { signAsFeePayer, signTransaction } from "../../../protocol/transaction/signing.ts";
import { transactionType } from "../../../protocol/transaction/type-table.ts";
import { createTransaction } from "../../../protocol/transaction/value.ts";
import { createNode, type Node } from "../../create-node.ts";
import type { NodeOptions } from "../../node-options.ts";
import { COIN, devCalls, hex, OTHER, STRANGER } from "../testing/dev-calls.ts";

/** With 64 bytes of input it stores the second word under the first, with 32 it answers what is stored there. */
const BOX_CODE = "0x366040146013576000355460005260206000f35b60203560003555";
const BOX = "0x000000000000000000000000000000000000b0c5";
const LOGGER = "0x0000000000000000000000000000000000010660";
/** Logs its input under topic 1. */
const LOGGER_CODE = "0x366000600037600136600060a1506001366000a100";
const word = (value: number): string => value.toString(16).padStart(64, "0");
const ROLE_KEYS = [1, 2, 3].map((n) => hexToBytes(`0x${word(0x1000 + n)}`));
const MEMBER = "0x00000000000000000000000000000000000e4be5";

let origin: Node;
let fork: Node;
const there = devCalls(() => origin);
const here = devCalls(() => fork);
let point = 0;

const roleKey: AccountKey = {
  type: "roleBased",
  keys: ROLE_KEYS.map((key) => ({ type: "public" as const, publicKey: compressPublicKey(publicKeyOf(key)) })),
};

const put = (slot: number, value: number) => ({
  to: BOX,
  data: `0x${word(slot)}${word(value)}`,
  gas: hex(200_000),
});
const stored = (calls: typeof here, slot: number): Promise<unknown> =>
  calls.call("eth_call", { to: BOX, data: `0x${word(slot)}` }, "latest");

beforeAll(async () => {
  origin = await createNode({ http: { port: 0 } });
  await there.call("anvil_setBalance", STRANGER, hex(5n * COIN));
  await there.call("anvil_setCode", BOX, BOX_CODE);
  await there.call("anvil_setCode", LOGGER, LOGGER_CODE);
  await there.call("anvil_setBalance", MEMBER, hex(COIN));
  await there.call("kairn_setAccountKey", MEMBER, accountKeyToJson(roleKey));
  for (const [slot, value] of [
    [1, 11],
    [2, 22],
    [3, 33],
  ] as const)
    await there.sent("eth_sendTransaction", { from: there.own(0), ...put(slot, value) });
  await there.sent("eth_sendTransaction", {
    from: there.own(1),
    to: LOGGER,
    data: "0xaa",
    gas: hex(100_000),
  });
  await there.call("anvil_mine", "0x3");
  point = await there.number();
});

afterAll(() => origin.stop());

async function openFork(options: Partial<NonNullable<NodeOptions["fork"]>> = {}, rest: NodeOptions = {}) {
  fork = await createNode({ ...rest, fork: { url: origin.endpoints.http as string, ...options } });
}

describe("a fork", () => {
  beforeEach(() => openFork());
  afterEach(() => fork.stop());

  it("has accounts, keys, code and storage of the other chain", async () => {
    expect(await here.number()).toBe(point);
    expect(await here.call("eth_chainId")).toBe(await there.call("eth_chainId"));
    expect(await here.balance(STRANGER)).toBe(5n * COIN);
    expect(await here.call("eth_getCode", BOX, "latest")).toBe(BOX_CODE);
    expect(await here.call("eth_getStorageAt", BOX, "0x2", "latest")).toBe(`0x${word(22)}`);
    expect(await stored(here, 3)).toBe(`0x${word(33)}`);
    expect(await here.call("kaia_getAccountKey", MEMBER, "latest")).toEqual(accountKeyToJson(roleKey));
    expect(await here.call("kaia_getAccount", BOX, "latest")).toMatchObject({ accType: 2 });
    expect(await here.call("eth_getTransactionCount", here.own(0), "latest")).toBe(
      await there.call("eth_getTransactionCount", here.own(0), "latest"),
    );
    expect(await here.call("kaia_accountCreated", OTHER, "latest")).toBe(false);
  });

  it("goes on from the other chain without touching it", async () => {
    const receipt = await here.sent("eth_sendTransaction", { from: here.own(0), ...put(2, 7) });
    expect(receipt).toMatchObject({ status: "0x1", blockNumber: hex(point + 1) });
    await here.sent("eth_sendTransaction", { from: here.own(0), ...put(1, 0) });
    await here.sent("eth_sendTransaction", { from: here.own(0), ...put(9, 99) });
    expect(await Promise.all([1, 2, 3, 9].map((slot) => stored(here, slot)))).toEqual(
      [0, 7, 33, 99].map((value) => `0x${word(value)}`),
    );
    expect(await here.call("eth_getStorageAt", BOX, "0x1", hex(point))).toBe(`0x${word(11)}`);
    expect(await here.call("eth_getStorageAt", BOX, "0x1", hex(point + 1))).toBe(`0x${word(11)}`);
    expect(await stored(there, 2)).toBe(`0x${word(22)}`);
    expect(await there.number()).toBe(point);
    const next = (await here.call("eth_getBlockByNumber", hex(point + 1), false)) as Record<string, string>;
    const last = (await there.call("eth_getBlockByNumber", hex(point), false)) as Record<string, string>;
    expect(next["parentHash"]).toBe(last["hash"]);
    fork.chain.store.verify();
  });

  it("takes fee-delegated transactions signed by the keys that accounts have there", async () => {
    const chainId = fork.chain.config.chainId;
    const payer = fork.dev?.accounts[3];
    const unsigned = createTransaction({
      type: transactionType(0x09) as NonNullable<ReturnType<typeof transactionType>>,
      from: hexToBytes(MEMBER),
      to: hexToBytes(OTHER),
      feePayer: payer?.address as Uint8Array,
      value: 5n,
      gas: 300_000n,
      gasPrice: 50_000_000_000n,
      nonce: BigInt((await here.call("eth_getTransactionCount", MEMBER, "latest")) as string),
    });
    const pay = (key: Uint8Array) =>
      signAsFeePayer(signTransaction(unsigned, [key], chainId), [payer?.privateKey as Uint8Array], chainId);
    const [transact, update] = ROLE_KEYS as [Uint8Array, Uint8Array];
    const send = (key: Uint8Array) =>
      here.call("kaia_sendRawTransaction", bytesToHex(encodeTransaction(pay(key))));
    await expect(send(update)).rejects.toThrow(/invalid/);
    const hash = await send(transact);
    await here.call("evm_mine");
    expect(await here.call("kaia_getTransactionReceipt", hash)).toMatchObject({
      status: "0x1",
      type: "TxTypeFeeDelegatedValueTransfer",
    });
    expect(await here.balance(OTHER)).toBe(5n);
    expect(await here.balance(MEMBER)).toBe(COIN - 5n);
  });
});
