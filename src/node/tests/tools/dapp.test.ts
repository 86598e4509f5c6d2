import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { addressOfPublicKey, recoverPublicKey } from "../../../protocol/crypto/secp256k1.ts";
import type { Hash } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { messageHash } from "../../../wallet/signed-message.ts";
import { typedDataHash } from "../../../wallet/typed-data/typed-data.ts";
import { createNode, type Node } from "../../create-node.ts";

const STRANGER = `0x${"99".repeat(20)}`;
const TEXT = new TextEncoder().encode("hello");
const typed = {
  types: { Vote: [{ name: "proposal", type: "uint256" }] },
  primaryType: "Vote",
  domain: { name: "Governor", chainId: 1337 },
  message: { proposal: "12345678901234567890" },
};

let node: Node;
let own: string;
const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });

beforeAll(async () => {
  node = await createNode();
  [own = ""] = (await call("eth_accounts")) as string[];
});
afterAll(() => node.stop());

/** Who signed a hash, by 65 bytes in hex. */
function signerOf(hash: Hash, signature: unknown): string {
  const bytes = hexToBytes(signature as string);
  const key = recoverPublicKey(hash, bytes.subarray(0, 64), (bytes[64] as number) - 27);
  return bytesToHex(addressOfPublicKey(key));
}

describe("a development chain as the wallet of a dApp", () => {
  it("shares its accounts", async () => {
    expect(await call("eth_requestAccounts")).toEqual(await call("eth_accounts"));
  });

  it("signs messages with Ethereum's prefix without a passphrase", async () => {
    const signature = await call("personal_sign", bytesToHex(TEXT), own);
    expect(signerOf(messageHash({ text: TEXT, name: "Ethereum" }), signature)).toBe(own);
  });

  it.each(["eth_signTypedData", "eth_signTypedData_v3", "eth_signTypedData_v4"])(
    "%s takes the object and its text",
    async (method) => {
      const hash = typedDataHash(typed as never);
      for (const data of [typed, JSON.stringify(typed)])
        expect(signerOf(hash, await call(method, own, data))).toBe(own);
    },
  );

  it("refuses to sign for an account it does not hold, and invalid typed data", async () => {
    const stranger = `0x${"99".repeat(20)}`;
    await expect(call("personal_sign", "0x01", stranger)).rejects.toThrow("unknown account");
    await expect(call("eth_signTypedData_v4", stranger, typed)).rejects.toThrow("unknown account");
    await expect(call("eth_signTypedData_v4", own, "{")).rejects.toMatchObject({ code: -32000 });
    await expect(call("eth_signTypedData_v4", own, { ...typed, message: {} })).rejects.toThrow(
      "invalid typed data: Vote.proposal is missing",
    );
  });

  it("does not switch to another chain", async () => {
    expect(await call("wallet_switchEthereumChain", { chainId: "0x539" })).toBeNull();
    expect(await call("wallet_addEthereumChain", { chainId: "0x539", chainName: "here" })).toBeNull();
    await expect(call("wallet_switchEthereumChain", { chainId: "0x1" })).rejects.toMatchObject({
      code: 4902,
    });
  });

  it("reads the newest block if none is given", async () => {
    const code = keccak256(hexToBytes("0x"));
    expect(await call("eth_getBalance", own)).toBe(await call("eth_getBalance", own, "latest"));
    expect(await call("eth_getTransactionCount", own)).toBe("0x0");
    expect(await call("eth_call", { to: `0x${"00".repeat(19)}04`, data: bytesToHex(code) })).toBe(
      bytesToHex(code),
    );
  });
});

it("waits for the receipt of a raw transaction", async () => {
  const tx = {
    from: own,
    to: `0x${"11".repeat(20)}`,
    value: "0x1",
    gas: "0x5208",
    gasPrice: "0xba43b7400",
    nonce: "0x0",
  };
  const { raw } = (await call("eth_signTransaction", tx)) as { raw: string };
  expect(await call("eth_sendRawTransactionSync", raw)).toMatchObject({ status: "0x1", blockNumber: "0x1" });
  await call("evm_setAutomine", false);
  const next = (await call("eth_signTransaction", { ...tx, nonce: "0x1" })) as { raw: string };
  await expect(call("eth_sendRawTransactionSync", next.raw, "0x14")).rejects.toMatchObject({
    code: 4,
    data: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
});

describe("a development chain for tools", () => {
  const SILENT = "0x60006000fd";
  const target = `0x${"77".repeat(20)}`;

  it("reports a revert without data as one with the data 0x, in calls, estimates and sends", async () => {
    await call("anvil_setCode", target, SILENT);
    const silent = { code: 3, message: "execution reverted", data: "0x" };
    const tx = { from: own, to: target };
    await expect(call("eth_call", tx, "latest")).rejects.toMatchObject(silent);
    await expect(call("kaia_call", tx, "latest")).rejects.toMatchObject(silent);
    await expect(call("eth_estimateGas", tx)).rejects.toMatchObject(silent);
    await expect(call("eth_sendTransaction", tx)).rejects.toMatchObject(silent);
    await call("anvil_setCode", target, "0xfe");
    await expect(call("eth_call", tx, "latest")).rejects.toMatchObject({ code: -32000 });
  });

  it("proves empty storage with an empty list", async () => {
    const { storageProof } = (await call("eth_getProof", own, ["0x0"], "latest")) as {
      storageProof: unknown;
    };
    expect(storageProof).toEqual([{ key: "0x0", value: "0x0", proof: [] }]);
  });

  it("sends subscribers full pending transactions in the format of their namespace", async () => {
    const shown: unknown[] = [];
    node.provider.on("message", ({ data }) => shown.push((data as { result: unknown }).result));
    await call("eth_subscribe", "newPendingTransactions", true);
    await call("eth_subscribe", "newPendingTransactions");
    const hash = await call("eth_sendTransaction", { from: own, to: target, gas: "0x5208" });
    await expect.poll(() => shown.length).toBe(2);
    expect(shown).toContainEqual(hash);
    expect(shown).toContainEqual(expect.objectContaining({ hash, from: own, to: target, blockHash: null }));
  });
});

it("in a release's dialect, responds as that release does", async () => {
  const release = await createNode({ compat: "kaia" });
  try {
    const ask = (method: string, ...params: unknown[]) => release.provider.request({ method, params });
    await ask("anvil_setCode", STRANGER, "0x60006000fd");
    const bare = { code: -32000, message: "evm: execution reverted" };
    await expect(ask("eth_call", { to: STRANGER }, "latest")).rejects.toMatchObject(bare);
    const [account] = (await ask("eth_accounts")) as string[];
    const { storageProof } = (await ask("eth_getProof", account, ["0x0"], "latest")) as {
      storageProof: unknown;
    };
    expect(storageProof).toEqual([{ key: "0x0", value: "0x0", proof: null }]);
    await expect(ask("eth_subscribe", "newPendingTransactions", true)).rejects.toThrow(
      "subscription not found",
    );
  } finally {
    await release.stop();
  }
});
