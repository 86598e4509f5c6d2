import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { accountKeyToJson } from "../../../protocol/account/key-json.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { encodeTransaction } from "../../../protocol/transaction/encoding.ts";
import { signAsFeePayer, signTransaction } from "../../../protocol/transaction/signatures/signing.ts";
import { transactionType } from "../../../protocol/transaction/type-table.ts";
import type { TransactionType } from "../../../protocol/transaction/types.ts";
import { createTransaction } from "../../../protocol/transaction/value.ts";
import { createNode, type Node } from "../../create-node.ts";
import { COIN, devCalls, hex, OTHER, STRANGER } from "../testing/dev-calls.ts";
import {
  BOX,
  BOX_CODE,
  HASHER,
  MEMBER,
  MEMBER_KEY,
  openOrigin,
  put,
  ROLE_KEYS,
  stored,
  word,
} from "./testing/origin.ts";

let origin: Node;
let fork: Node;
let point = 0;
const there = devCalls(() => origin);
const here = devCalls(() => fork);

beforeAll(async () => {
  origin = await openOrigin();
  point = await there.number();
});
afterAll(() => origin.stop());
beforeEach(async () => {
  fork = await createNode({ fork: { url: origin.endpoints.http as string } });
});
afterEach(() => fork.stop());

describe("the state of a fork", () => {
  it("has the accounts, keys, code and storage of the remote chain", async () => {
    expect(await here.number()).toBe(point);
    expect(await here.call("eth_chainId")).toBe(await there.call("eth_chainId"));
    expect(await here.balance(STRANGER)).toBe(5n * COIN);
    expect(await here.call("eth_getCode", BOX, "latest")).toBe(BOX_CODE);
    expect(await here.call("eth_getStorageAt", BOX, "0x2", "latest")).toBe(`0x${word(22)}`);
    expect(await stored(here, 3)).toBe(`0x${word(33)}`);
    expect(await here.call("kaia_getAccountKey", MEMBER, "latest")).toEqual(accountKeyToJson(MEMBER_KEY));
    for (const address of [BOX, STRANGER])
      expect(await here.call("kaia_getAccount", address, "latest")).toEqual(
        await there.call("kaia_getAccount", address, "latest"),
      );
    expect(await here.call("eth_getTransactionCount", here.own(0), "latest")).toBe(
      await there.call("eth_getTransactionCount", here.own(0), "latest"),
    );
    expect(await here.call("kaia_accountCreated", OTHER, "latest")).toBe(false);
  });

  it("never forwards methods that change a chain to the remote node", async () => {
    await here.call("debug_setHead", "0x1").catch(() => undefined); // blocks before the fork point are not here
    await here.call("debug_standardTraceBlockToFile", `0x${"11".repeat(32)}`).catch(() => undefined);
    expect(await there.number()).toBe(point);
  });

  it("changes locally and not remotely, including slots set to zero", async () => {
    const receipt = await here.sent("eth_sendTransaction", { from: here.own(0), ...put(2, 7) });
    expect(receipt).toMatchObject({ status: "0x1", blockNumber: hex(point + 1) });
    await here.sent("eth_sendTransaction", { from: here.own(0), ...put(1, 0) });
    await here.sent("eth_sendTransaction", { from: here.own(0), ...put(9, 99) });
    const values = await Promise.all([1, 2, 3, 9].map((slot) => stored(here, slot)));
    expect(values).toEqual([0, 7, 33, 99].map((value) => `0x${word(value)}`));
    expect(await here.call("eth_getStorageAt", BOX, "0x1", hex(point + 1))).toBe(`0x${word(11)}`);
    expect(await stored(there, 2)).toBe(`0x${word(22)}`);
    expect(await there.number()).toBe(point);
    fork.chain.store.verify();
  });

  it("hides accounts and storage that were deleted locally", async () => {
    await here.call("anvil_setBalance", STRANGER, "0x0");
    expect(await here.call("kaia_accountCreated", STRANGER, "latest")).toBe(false);
    await here.call("anvil_setBalance", STRANGER, "0x5");
    expect(await here.balance(STRANGER)).toBe(5n);
    await here.call("anvil_setStorageAt", BOX, "0x3", `0x${word(0)}`);
    expect(await stored(here, 3)).toBe(`0x${word(0)}`);
    await here.call("anvil_reset");
    expect(await here.balance(STRANGER)).toBe(5n * COIN);
    expect(await stored(here, 3)).toBe(`0x${word(33)}`);
  });

  it("reverts to snapshots, but not before the fork", async () => {
    const id = await here.call("evm_snapshot");
    await here.sent("eth_sendTransaction", { from: here.own(0), ...put(1, 0) });
    await here.call("anvil_setBalance", STRANGER, "0x1");
    expect(await here.call("evm_revert", id)).toBe(true);
    expect([await here.number(), await here.balance(STRANGER)]).toEqual([point, 5n * COIN]);
    expect(await stored(here, 1)).toBe(`0x${word(11)}`);
    await expect(here.call("anvil_rollback", "0x1")).rejects.toThrow(/not available/);
  });

  it("serves old block hashes and the development accounts", async () => {
    const hashOf = async (number: number) =>
      ((await there.call("eth_getBlockByNumber", hex(number), false)) as { hash: string }).hash;
    await here.call("anvil_mine", "0x2");
    for (const number of [point, point - 2]) {
      const asked = { to: HASHER, data: `0x${word(number)}` };
      expect(await here.call("eth_call", asked, "latest")).toBe(await hashOf(number));
    }
    expect(await here.balance(here.own(0))).toBe(10_000n * COIN);
    expect(await here.call("eth_getBalance", here.own(0), hex(point - 1))).toBe(
      await there.call("eth_getBalance", here.own(0), hex(point - 1)),
    );
  });

  it("accepts fee-delegated transactions signed with the accounts' remote keys", async () => {
    const { chainId } = fork.chain.config;
    const [payer] = fork.dev?.accounts ?? [];
    const unsigned = createTransaction({
      type: transactionType(0x09) as TransactionType,
      from: hexToBytes(MEMBER),
      to: hexToBytes(OTHER),
      feePayer: payer?.address as Uint8Array,
      value: 5n,
      gas: 300_000n,
      gasPrice: 50_000_000_000n,
      nonce: 0n,
    });
    const send = (key: Uint8Array): Promise<unknown> => {
      const signed = signTransaction(unsigned, [key], chainId);
      const paid = signAsFeePayer(signed, [payer?.privateKey as Uint8Array], chainId);
      return here.call("kaia_sendRawTransaction", bytesToHex(encodeTransaction(paid)));
    };
    const [ofTransactions, ofUpdates] = ROLE_KEYS as [Uint8Array, Uint8Array];
    await expect(send(ofUpdates)).rejects.toThrow(/invalid/);
    const hash = await send(ofTransactions);
    expect(await here.call("kaia_getTransactionReceipt", hash)).toMatchObject({
      status: "0x1",
      type: "TxTypeFeeDelegatedValueTransfer",
    });
    expect([await here.balance(OTHER), await here.balance(MEMBER)]).toEqual([5n, COIN - 5n]);
  });
});
