import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createNode, type Node } from "../create-node.ts";
import { COIN, devCalls, hex, OTHER, READER, SLOT, STRANGER } from "./testing/dev-calls.ts";

let node: Node;
beforeEach(async () => {
  node = await createNode();
});
afterEach(async () => {
  await node.stop();
});

const { call, balance, own, number, sent } = devCalls(() => node);

describe("state edits", () => {
  it("take effect immediately, and in the next block", async () => {
    await call("anvil_setBalance", STRANGER, hex(5n * COIN));
    await call("hardhat_setNonce", STRANGER, "0x9");
    await call("hardhat_setCode", OTHER, READER);
    await call("hardhat_setStorageAt", OTHER, "0x7", SLOT);
    expect(await number()).toBe(0);
    expect(await balance(STRANGER)).toBe(5n * COIN);
    expect(await call("eth_getTransactionCount", STRANGER, "latest")).toBe("0x9");
    expect(await call("eth_call", { to: OTHER }, "latest")).toBe(SLOT);
    await call("evm_mine");
    expect(await balance(STRANGER)).toBe(5n * COIN);
    expect(await call("eth_call", { to: OTHER }, "latest")).toBe(SLOT);
    node.chain.store.verify();
  });

  it("belong to the block after which they were made, also in historical state", async () => {
    await call("anvil_mine", "0x3");
    await call("anvil_setBalance", STRANGER, "0x1");
    await call("anvil_mine", "0x2");
    await call("anvil_setBalance", STRANGER, "0x2");
    await call("anvil_mine", "0x1");
    const history = await Promise.all([2, 3, 4, 5, 6].map((block) => balance(STRANGER, hex(block))));
    expect(history).toEqual([0n, 1n, 1n, 2n, 2n]);
    await call("anvil_rollback", "0x1");
    expect(await balance(STRANGER)).toBe(2n);
    await call("anvil_rollback", "0x1");
    expect(await balance(STRANGER)).toBe(1n);
    await call("anvil_rollback", "0x2");
    expect(await balance(STRANGER)).toBe(0n);
    node.chain.store.verify();
  });

  it("set an account key that then validates the account's signatures", async () => {
    const key = { keyType: 3, key: {} };
    await call("kairn_setAccountKey", own(1), key);
    expect(await call("kaia_getAccountKey", own(1), "latest")).toMatchObject({ keyType: 3 });
    const transfer = { from: own(1), to: STRANGER, value: "0x1" };
    await expect(call("eth_sendTransaction", transfer)).rejects.toThrow("legacy account key");
    await call("kairn_setAccountKey", own(1), "0x01c0");
    expect((await sent("eth_sendTransaction", transfer))["status"]).toBe("0x1");
    await call("hardhat_setCode", OTHER, READER);
    await expect(call("kairn_setAccountKey", OTHER, "0x01c0")).rejects.toThrow("contract account");
  });
});

const TYPED = {
  types: { EIP712Domain: [{ name: "name", type: "string" }], Note: [{ name: "text", type: "string" }] },
  domain: { name: "kairn" },
  primaryType: "Note",
  message: { text: "hello" },
};

describe("impersonation", () => {
  it("sends as a contract, and as an account nobody holds a key of", async () => {
    await call("hardhat_setCode", OTHER, READER);
    for (const from of [STRANGER, OTHER]) {
      await call("anvil_setBalance", from, hex(COIN));
      const transfer = { from, to: own(0), value: "0x5" };
      await expect(call("eth_sendTransaction", transfer)).rejects.toThrow("unknown account");
      expect(await call("hardhat_impersonateAccount", from)).toBe(true);
      expect(await sent("eth_sendTransaction", transfer)).toMatchObject({ status: "0x1", from });
      expect(await call("hardhat_stopImpersonatingAccount", from)).toBe(true);
      await expect(call("eth_sendTransaction", transfer)).rejects.toThrow("unknown account");
    }
  });

  it("signs messages with the keys of the node's own accounts", async () => {
    const ask = async () => [
      await call("personal_sign", "0x6b6169726e", own(0)),
      await call("eth_signTypedData_v4", own(0), TYPED),
    ];
    const signed = await ask();
    await call("hardhat_impersonateAccount", own(0));
    expect(await ask()).toEqual(signed);
    expect(await call("hardhat_stopImpersonatingAccount", own(0))).toBe(true);
  });

  it("sends Kaia transaction types, and pays fees for others", async () => {
    await call("anvil_autoImpersonateAccount", true);
    await call("anvil_setBalance", STRANGER, hex(COIN));
    const memo = { typeInt: 0x10, from: STRANGER, to: OTHER, value: "0x1", gas: "0x30000", input: "0x01" };
    expect(await sent("kaia_sendTransaction", memo)).toMatchObject({ status: "0x1", from: STRANGER });
    const delegated = {
      ...{
        typeInt: 0x09,
        from: own(0),
        to: OTHER,
        value: "0x2",
        gas: "0x30000",
        gasPrice: hex(50n * 10n ** 9n),
      },
      ...{ nonce: "0x0", feePayer: STRANGER },
    };
    const signed = (await call("kaia_signTransaction", delegated)) as { tx: { signatures: unknown[] } };
    const paid = await balance(STRANGER);
    const receipt = await sent("kaia_sendTransactionAsFeePayer", {
      ...delegated,
      signatures: signed.tx.signatures,
    });
    expect(receipt).toMatchObject({ status: "0x1", feePayer: STRANGER, from: own(0) });
    expect(await balance(STRANGER)).toBeLessThan(paid);
  });

  it("sends a single transaction without prior impersonation", async () => {
    await call("anvil_setBalance", STRANGER, hex(COIN));
    const transfer = { from: STRANGER, to: OTHER, value: "0x1" };
    expect((await sent("eth_sendUnsignedTransaction", transfer))["status"]).toBe("0x1");
    await expect(call("eth_sendTransaction", transfer)).rejects.toThrow("unknown account");
    const free = { ...transfer, gasPrice: "0x0" };
    await expect(call("eth_sendUnsignedTransaction", free)).rejects.toMatchObject({
      code: -32000,
      message: "invalid gas price. It must be set to value greater than or equal to baseFee",
    });
  });
});

describe("the next block", () => {
  it("has the base fee, rewards and randomness set for it, once", async () => {
    await call("hardhat_setNextBlockBaseFeePerGas", "0x7");
    await call("hardhat_setCoinbase", STRANGER);
    await call("hardhat_setPrevRandao", SLOT);
    await call("hardhat_setCode", OTHER, "0x4460005500");
    const receipt = await sent("eth_sendTransaction", {
      from: own(0),
      to: OTHER,
      gas: "0x30000",
      gasPrice: "0x7",
    });
    expect(receipt).toMatchObject({ status: "0x1", effectiveGasPrice: "0x7", blockNumber: "0x1" });
    expect(await call("eth_getStorageAt", OTHER, "0x0", "latest")).toBe(SLOT);
    expect(await balance(STRANGER)).toBeGreaterThan(9n * COIN);
    await call("evm_mine");
    const { baseFee, mixHash } = node.chain.head.header;
    expect([baseFee, mixHash]).toEqual([25_000_000_000n, undefined]);
  });

  it("has the timestamp set for it", async () => {
    const times = async () => node.chain.head.header.time;
    await call("evm_setNextBlockTimestamp", 3_000_000_000);
    await call("evm_mine");
    expect(await times()).toBe(3_000_000_000n);
    await expect(call("evm_setNextBlockTimestamp", 3_000_000_000)).rejects.toThrow("not after");
    await call("anvil_mine", "0x3", "0x3c");
    expect(await times()).toBeGreaterThanOrEqual(3_000_000_120n);
    await call("anvil_setBlockTimestampInterval", 100);
    const before = await times();
    await call("anvil_mine", "0x2");
    expect((await times()) - before).toBe(200n);
    expect(await call("anvil_removeBlockTimestampInterval")).toBe(true);
    await call("evm_mine", { timestamp: 4_000_000_000, blocks: 2 });
    expect(await times()).toBe(4_000_000_001n);
  });

  it("never has an invalid timestamp, and is mined even if the clock was set back", async () => {
    const latest = 8_640_000_000_000n;
    const beyond = latest + 1n;
    await expect(call("evm_increaseTime", hex(2n ** 88n))).rejects.toThrow("too late");
    await expect(call("evm_setNextBlockTimestamp", hex(beyond))).rejects.toThrow(`${beyond} is too late`);
    await expect(call("evm_setTime", hex(beyond * 1000n))).rejects.toThrow("too late");
    await expect(call("anvil_mine", "0x2", hex(latest))).rejects.toThrow("too late");
    await expect(call("anvil_mine", 10_000_001)).rejects.toThrow("too many blocks");
    await call("evm_setTime", 1000);
    const { number, time } = node.chain.head.header;
    await call("evm_mine");
    expect(node.chain.head.header).toMatchObject({ number: number + 1n, time: time + 1n });
    await call("evm_setNextBlockTimestamp", hex(latest));
    await call("evm_mine");
    expect(node.chain.head.header.time).toBe(latest);
  });
});

describe("other chains", () => {
  it("have none of these methods", async () => {
    const { genesis, validatorKey } = node.dev as NonNullable<Node["dev"]>;
    const plain = await createNode({ genesis, nodeKey: validatorKey });
    onTestFinished(() => plain.stop());
    for (const method of ["evm_snapshot", "anvil_mine", "hardhat_reset", "kairn_setAccountKey"])
      await expect(plain.provider.request({ method, params: [] })).rejects.toThrow("does not exist");
    expect(await plain.provider.request({ method: "web3_clientVersion" })).toMatch(/^kairn/);
  });
});
