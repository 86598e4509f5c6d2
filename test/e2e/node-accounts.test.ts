import { createRequire } from "node:module";
import { JsonRpcProvider, TypedDataEncoder, verifyMessage, verifyTypedData } from "ethers";
import {
  createWalletClient,
  defineChain,
  hashTypedData,
  http,
  recoverMessageAddress,
  recoverTypedDataAddress,
} from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Web3 } from "web3";
import { rpcCall } from "./json-rpc.ts";
import { type StartedNode, startNode } from "./started-node.ts";

// Libraries that let the node sign, without keys of their own.

const types = {
  Person: [
    { name: "name", type: "string" },
    { name: "wallets", type: "address[]" },
    { name: "friend", type: "bytes32[2]" },
  ],
  Mail: [
    { name: "from", type: "Person" },
    { name: "to", type: "Person[]" },
    { name: "amount", type: "int64" },
    { name: "raw", type: "bytes" },
    { name: "isUrgent", type: "bool" },
    { name: "tag", type: "bytes3" },
  ],
};
const domain = {
  name: "Mail",
  version: "1",
  chainId: 1337,
  verifyingContract: `0x${"cc".repeat(20)}`,
} as const;

let node: StartedNode;
let provider: JsonRpcProvider;
let own: `0x${string}`;
beforeAll(async () => {
  node = await startNode();
  provider = new JsonRpcProvider(node.endpoints.http, undefined, { cacheTimeout: -1 });
  own = node.accounts[0]?.address as `0x${string}`;
});
afterAll(async () => {
  provider.destroy();
  expect(await node.stop()).toBe(0);
});

const person = (name: string) => ({
  name,
  wallets: [own, `0x${"11".repeat(20)}` as const],
  friend: [`0x${"22".repeat(32)}`, `0x${"33".repeat(32)}`] as const,
});
const message = () => ({
  ...{ from: person("Ann"), to: [person("Bob"), person("Zoë")] },
  ...{ amount: -5n, raw: "0x010203" as const, isUrgent: true, tag: "0xabcdef" as const },
});

it("ethers lets the node sign messages and typed data", async () => {
  const signer = await provider.getSigner(own);
  expect(verifyMessage("hello", await signer.signMessage("hello")).toLowerCase()).toBe(own);
  const signature = await signer.signTypedData(domain, types, message());
  expect(verifyTypedData(domain, types, message(), signature).toLowerCase()).toBe(own);
});

it("Hardhat lets the node sign messages and typed data", async () => {
  const require = createRequire(import.meta.url);
  const {
    HardhatEthersProvider,
  } = require("@nomicfoundation/hardhat-ethers/internal/hardhat-ethers-provider");
  const send = (method: string, params: unknown[] = []) => rpcCall(node.endpoints.http, method, ...params);
  const signer = await new HardhatEthersProvider({ send }, "kairn").getSigner(own);
  expect((await signer.getAddress()).toLowerCase()).toBe(own);
  expect(verifyMessage("hello", await signer.signMessage("hello")).toLowerCase()).toBe(own);
  const signature = await signer.signTypedData(domain, types, message());
  expect(verifyTypedData(domain, types, message(), signature).toLowerCase()).toBe(own);
  const { blockNumber } = await (await signer.sendTransaction({ to: own, value: 1n })).wait();
  expect(blockNumber).toBe(1);
});

it("viem lets the node sign messages and typed data", async () => {
  const { http: url } = node.endpoints;
  const currency = { name: "KAIA", symbol: "KAIA", decimals: 18 };
  const chain = defineChain({
    id: 1337,
    name: "kairn",
    nativeCurrency: currency,
    rpcUrls: { default: { http: [url] } },
  });
  const client = createWalletClient({ chain, transport: http(url), account: own });
  expect((await client.requestAddresses())[0]?.toLowerCase()).toBe(own);
  const text = await client.signMessage({ message: "hello" });
  expect((await recoverMessageAddress({ message: "hello", signature: text })).toLowerCase()).toBe(own);
  const data = { domain, types, primaryType: "Mail", message: message() } as const;
  expect(hashTypedData(data)).toBe(TypedDataEncoder.hash(domain, types, message()));
  const signature = await client.signTypedData(data);
  expect((await recoverTypedDataAddress({ ...data, signature })).toLowerCase()).toBe(own);
  await client.switchChain({ id: 1337 });
  await expect(client.switchChain({ id: 1 })).rejects.toThrow();
});

it("web3.js lets the node sign messages and typed data", async () => {
  const web3 = new Web3(node.endpoints.http);
  const signature = await web3.eth.sign("0x68656c6c6f", own);
  expect(web3.eth.accounts.recover("hello", signature as string).toLowerCase()).toBe(own);
  const full = {
    domain,
    primaryType: "Mail",
    types: {
      EIP712Domain: TypedDataEncoder.getPayload(domain, types, message()).types.EIP712Domain,
      ...types,
    },
    message: { ...message(), amount: -5 },
  };
  const typed = await web3.eth.signTypedData(own, full as never);
  expect(verifyTypedData(domain, types, message(), typed).toLowerCase()).toBe(own);
});
