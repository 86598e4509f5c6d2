import {
  createPublicClient,
  createWalletClient,
  defineChain,
  getContract,
  http,
  parseEther,
  webSocket,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type StartedNode, startNode } from "./started-node.ts";
import { token } from "./token.ts";

let node: StartedNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(async () => {
  expect(await node.stop()).toBe(0);
});

function clients() {
  const { http: url } = node.endpoints;
  const chain = defineChain({
    id: 1337,
    name: "kairn",
    nativeCurrency: { name: "KAIA", symbol: "KAIA", decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const account = privateKeyToAccount(node.accounts[0]?.privateKey as `0x${string}`);
  const options = { chain, transport: http(url), pollingInterval: 50 };
  return {
    chain,
    account,
    reader: createPublicClient(options),
    writer: createWalletClient({ ...options, account }),
  };
}

it("sends a transfer and waits for its receipt", async () => {
  const { reader, writer } = clients();
  const to = privateKeyToAccount(generatePrivateKey()).address;
  const hash = await writer.sendTransaction({ to, value: parseEther("2") });
  const receipt = await reader.waitForTransactionReceipt({ hash });
  expect(receipt.status).toBe("success");
  expect(receipt.gasUsed).toBe(21000n);
  expect(await reader.getBalance({ address: to })).toBe(parseEther("2"));
});

it("deploys a token, estimates, transfers and reads logs", async () => {
  const { reader, writer, account } = clients();
  const { abi, bytecode } = token;
  const hash = await writer.deployContract({ abi, bytecode, args: [1000n] });
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash });
  const contract = getContract({
    address: contractAddress as `0x${string}`,
    abi,
    client: { public: reader, wallet: writer },
  });
  const to = privateKeyToAccount(generatePrivateKey()).address;
  const gas = await reader.estimateContractGas({
    address: contract.address,
    abi,
    functionName: "transfer",
    args: [to, 3n],
    account,
  });
  const sent = await writer.writeContract({
    address: contract.address,
    abi,
    functionName: "transfer",
    args: [to, 3n],
  });
  const receipt = await reader.waitForTransactionReceipt({ hash: sent });
  expect(receipt.gasUsed).toBeLessThanOrEqual(gas);
  const logs = await reader.getContractEvents({
    address: contract.address,
    abi,
    eventName: "Transfer",
    fromBlock: 0n,
  });
  // biome-ignore lint/suspicious/noExplicitAny: the ABI is not a constant of the type system
  expect(logs.map(({ args }: any) => args.value)).toEqual([1000n, 3n]);
});

it("watches pending transactions and blocks over WebSocket", async () => {
  const { chain, writer, account } = clients();
  const socket = createPublicClient({ chain, transport: webSocket(node.endpoints.ws) });
  const seen: string[] = [];
  const heads = new Promise<bigint>((resolve) => {
    socket.watchBlockNumber({ onBlockNumber: resolve });
  });
  const pending = new Promise<readonly string[]>((resolve) => {
    socket.watchPendingTransactions({ onTransactions: resolve });
  });
  await socket.getBlockNumber();
  seen.push(await writer.sendTransaction({ to: account.address, value: 1n }));
  expect(await pending).toEqual(seen);
  expect(await heads).toBeGreaterThan(0n);
  (await socket.transport.getRpcClient()).close();
});

it("signs a typed transaction with an authorization list (EIP-7702)", async () => {
  const { reader, writer } = clients();
  const deployed = await writer.deployContract({ abi: token.abi, bytecode: token.bytecode, args: [1n] });
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash: deployed });
  const authority = privateKeyToAccount(generatePrivateKey());
  const authorization = await authority.signAuthorization({
    chainId: 1337,
    nonce: 0,
    contractAddress: contractAddress as `0x${string}`,
  });
  // the token has no receive function, so the call itself reverts and its gas cannot be estimated; the delegation remains
  const hash = await writer.sendTransaction({
    to: authority.address,
    authorizationList: [authorization],
    gas: 200_000n,
  });
  await reader.waitForTransactionReceipt({ hash });
  expect(await reader.getCode({ address: authority.address })).toBe(
    `0xef0100${contractAddress?.slice(2).toLowerCase()}`,
  );
});
