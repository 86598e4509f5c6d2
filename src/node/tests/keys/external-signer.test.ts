import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressOfPublicKey, publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { type SignerServer, startSigner } from "../../../wallet/remote/testing/signer-server.ts";
import { createNode, type Node } from "../../create-node.ts";

const key = new Uint8Array(32).fill(0x77);
const custodian = bytesToHex(addressOfPublicKey(publicKeyOf(key)));
const receiver = `0x${"ab".repeat(20)}`;

describe.each(["clef", "web3signer"] as const)("a node whose keys %s keeps", (api) => {
  let signer: SignerServer;
  let node: Node;
  // biome-ignore lint/suspicious/noExplicitAny: results of JSON-RPC
  const call = (method: string, ...params: unknown[]): Promise<any> =>
    node.provider.request({ method, params });

  /** Sends, waits for the block, and returns the receipt. */
  async function mined(send: () => Promise<string>): Promise<Record<string, string>> {
    const sealed = new Promise<void>((resolve) => {
      const stop = node.chain.onHead(() => {
        stop();
        resolve();
      });
    });
    const hash = await send();
    await sealed;
    return call("eth_getTransactionReceipt", hash);
  }

  beforeAll(async () => {
    signer = await startSigner({ api, chainId: 1337n, keys: [key] });
    node = await createNode({ signer: signer.url });
    const [rich] = await call("eth_accounts");
    const value = `0x${(10n ** 19n).toString(16)}`;
    await mined(() => call("eth_sendTransaction", { from: rich, to: custodian, value }));
  }, 30_000);
  afterAll(async () => {
    await node.stop();
    await signer.stop();
  });

  it("lists the signer's account and wallet besides its own", async () => {
    expect(await call("eth_accounts")).toContain(custodian);
    expect(await call("personal_listAccounts")).toContain(custodian);
    const url = `extapi://${new URL(signer.url).host}`;
    const wallets: { url: string }[] = await call("personal_listWallets");
    expect(wallets.find((wallet) => wallet.url === url)).toEqual({
      ...{ url, status: api === "clef" ? "ok [version=6.1.0]" : "ok" },
      accounts: [{ address: custodian, url }],
    });
    expect(await call("personal_openWallet", url)).toBeNull();
  });

  it("sends and mines transactions that the signer signed", async () => {
    const gasPrice = await call("eth_gasPrice");
    const caps = { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice };
    const legacy = { from: custodian, to: receiver, value: "0x1", gasPrice };
    const typed = { from: custodian, to: receiver, value: "0x2", typeInt: 0x7802, accessList: [], ...caps };
    for (const send of [
      () => call("kaia_sendTransaction", legacy),
      () => call("eth_sendTransaction", { ...legacy, accessList: [{ address: receiver, storageKeys: [] }] }),
      () => call("kaia_sendTransaction", typed),
      () =>
        call("eth_sendTransaction", {
          from: custodian,
          data: "0x600a600c600039600a6000f3602a60005260206000f3",
        }),
    ]) {
      expect(await mined(send)).toMatchObject({ from: custodian, status: "0x1" });
    }
    expect(await call("eth_getTransactionCount", custodian, "latest")).toBe("0x4");
    const signed = await call("eth_signTransaction", { ...legacy, gas: "0x5208", nonce: "0x4" });
    expect(await mined(() => call("eth_sendRawTransaction", signed.raw))).toMatchObject({ from: custodian });
  });

  it("signs texts with Ethereum's prefix", async () => {
    const signature = await call("eth_sign", custodian, "0xc0ffee");
    expect(signature).toMatch(/^0x[0-9a-f]{130}$/);
    await expect(call("kaia_sign", custodian, "0xc0ffee")).rejects.toThrowError(
      "not supported: an external signer signs no Klaytn messages",
    );
  });

  it("reports what the signer cannot do", async () => {
    const transfer = { typeInt: 8, from: custodian, to: receiver, value: "0x1", gas: "0x10000" };
    await expect(call("kaia_sendTransaction", transfer)).rejects.toThrowError(
      "not supported: an external signer cannot sign TxTypeValueTransfer",
    );
    await expect(
      call("personal_sendTransaction", { from: custodian, to: receiver }, "pw"),
    ).rejects.toThrowError("password-operations not supported on external signers");
    expect(await call("personal_unlockAccount", custodian, "pw")).toBe(false);
  });

  it("passes on refusals, and rejects a signed transaction other than the requested one", async () => {
    const tx = { from: custodian, to: receiver, value: "0x1" };
    signer.refuses = "request denied";
    await expect(call("eth_sendTransaction", tx)).rejects.toThrowError("external signer: request denied");
    signer.refuses = undefined;
    signer.wrongKey = new Uint8Array(32).fill(1);
    await expect(call("eth_sendTransaction", tx)).rejects.toThrowError("is signed by another account");
    signer.wrongKey = undefined;
    expect(await mined(() => call("eth_sendTransaction", tx))).toMatchObject({ status: "0x1" });
  });
});
