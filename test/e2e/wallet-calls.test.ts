import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rpcCall } from "./json-rpc.ts";
import { type StartedNode, startNode } from "./started-node.ts";

// What wallets request from a node when connecting and before sending, and what dApps request from wallets; from the sources of
// MetaMask's controllers, Rabby, and the adapter that maps Kaikas to the eth namespace. See docs/compatibility.md.

const HASH = `0x${"11".repeat(32)}`;
const HEX = /^0x[0-9a-f]+$/;
const typed = {
  types: { EIP712Domain: [{ name: "chainId", type: "uint256" }], Vote: [{ name: "yes", type: "bool" }] },
  ...{ primaryType: "Vote", domain: { chainId: 1337 }, message: { yes: true } },
};

let node: StartedNode;
let own: string;
beforeAll(async () => {
  node = await startNode();
  own = node.accounts[0]?.address as string;
});
afterAll(async () => {
  expect(await node.stop()).toBe(0);
});
const call = (method: string, ...params: unknown[]) => rpcCall(node.endpoints.http, method, ...params);

type Case = readonly [method: string, params: () => readonly unknown[], answer: unknown];

describe("a wallet that connects", () => {
  const cases: readonly Case[] = [
    ["eth_chainId", () => [], "0x539"],
    ["net_version", () => [], "1337"],
    ["net_listening", () => [], expect.any(Boolean)],
    ["web3_clientVersion", () => [], expect.stringContaining("kairn/")],
    ["eth_syncing", () => [], false],
    ["eth_blockNumber", () => [], "0x0"],
    // This field decides whether a wallet offers EIP-1559 fees.
    [
      "eth_getBlockByNumber",
      () => ["latest", false],
      expect.objectContaining({ baseFeePerGas: "0x5d21dba00" }),
    ],
    ["eth_getBalance", () => [own, "latest"], "0x21e19e0c9bab2400000"],
    ["eth_getCode", () => [own, "latest"], "0x"],
    ["eth_call", () => [{ to: own, data: "0x70a08231" }, "latest"], "0x"],
    ["eth_gasPrice", () => [], expect.stringMatching(HEX)],
    ["eth_maxPriorityFeePerGas", () => [], expect.stringMatching(HEX)],
    [
      "eth_feeHistory",
      () => ["0x1", "latest", [10, 20, 30]],
      expect.objectContaining({ oldestBlock: "0x0" }),
    ],
    ["eth_getTransactionCount", () => [own, "pending"], "0x0"],
    ["eth_estimateGas", () => [{ from: own, to: own, value: "0x1" }], "0x5208"],
    ["eth_getTransactionByHash", () => [HASH], null],
    ["eth_getTransactionReceipt", () => [HASH], null],
    ["eth_getLogs", () => [{ fromBlock: "latest" }], []],
    ["eth_getStorageAt", () => [own, "0x0", "latest"], `0x${"00".repeat(32)}`],
  ];

  it.each(cases)("%s", async (method, params, answer) => {
    expect(await call(method, ...params())).toEqual(answer);
  });

  it.each(["klay", "kaia"])("under the names of %s", async (namespace) => {
    const ask = (method: string, ...params: unknown[]) => call(`${namespace}_${method}`, ...params);
    expect(await ask("chainID")).toBe("0x539");
    expect(await ask("getBalance", own, "latest")).toBe("0x21e19e0c9bab2400000");
    expect(await ask("getTransactionCount", own, "pending")).toBe("0x0");
    expect(await ask("getAccountKey", own, "latest")).toEqual({ keyType: 1, key: {} });
    expect(await ask("gasPrice")).toMatch(HEX);
    expect(await ask("estimateGas", { from: own, to: own })).toBe("0x5208");
    expect(await ask("call", { to: own }, "latest")).toBe("0x");
  });
});

describe("a dApp that uses the node as a wallet", () => {
  const permission = () => ({
    parentCapability: "eth_accounts",
    caveats: [{ type: "restrictReturnedAccounts", value: node.accounts.map(({ address }) => address) }],
  });

  it("sees the accounts and gets permission", async () => {
    const accounts = node.accounts.map(({ address }) => address);
    expect(await call("eth_requestAccounts")).toEqual(accounts);
    expect(await call("eth_accounts")).toEqual(accounts);
    expect(await call("wallet_getPermissions")).toEqual([permission()]);
    expect(await call("wallet_requestPermissions", { eth_accounts: {} })).toEqual([permission()]);
    expect(await call("wallet_revokePermissions", { eth_accounts: {} })).toBeNull();
  });

  it("stays on the chain, under both names", async () => {
    for (const name of ["Ethereum", "Klaytn"]) {
      expect(await call(`wallet_switch${name}Chain`, { chainId: "0x539" })).toBeNull();
      expect(await call(`wallet_add${name}Chain`, { chainId: "0x539", chainName: "kairn" })).toBeNull();
      await expect(call(`wallet_switch${name}Chain`, { chainId: "0x1" })).rejects.toThrow(
        /Unrecognized chain ID/,
      );
    }
  });

  it("registers tokens, and signs", async () => {
    const asset = { type: "ERC20", options: { address: own, symbol: "KTT", decimals: 18 } };
    expect(await call("wallet_watchAsset", asset)).toBe(true);
    const signature = expect.stringMatching(/^0x[0-9a-f]{130}$/);
    expect(await call("personal_sign", "0x68656c6c6f", own)).toEqual(signature);
    expect(await call("eth_sign", own, "0x68656c6c6f")).toEqual(signature);
    expect(await call("eth_signTypedData_v4", own, JSON.stringify(typed))).toEqual(signature);
    expect(await call("eth_sendTransaction", { from: own, to: own, value: "0x1" })).toMatch(HEX);
  });
});
