import {
  Contract,
  ContractFactory,
  isError,
  JsonRpcProvider,
  parseEther,
  Wallet,
  WebSocketProvider,
} from "ethers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type StartedNode, startNode } from "./started-node.ts";
import { token } from "./token.ts";

/** Without the cache, which keeps nonces for 250 ms, longer than a block takes here. */
const options = { pollingInterval: 50, cacheTimeout: -1 };

let node: StartedNode;
let provider: JsonRpcProvider;
let wallet: Wallet;

beforeAll(async () => {
  node = await startNode();
  provider = new JsonRpcProvider(node.endpoints.http, undefined, options);
  wallet = new Wallet(node.accounts[0]?.privateKey as string, provider);
});
afterAll(async () => {
  await provider.send("eth_blockNumber", []); // the last poll has completed
  provider.destroy();
  expect(await node.stop()).toBe(0);
});

it("connects, sends a transfer and reads its receipt", async () => {
  expect((await provider.getNetwork()).chainId).toBe(1337n);
  const to = Wallet.createRandom().address;
  const receipt = await (await wallet.sendTransaction({ to, value: parseEther("1.5") })).wait();
  expect(receipt?.status).toBe(1);
  expect(await provider.getBalance(to)).toBe(parseEther("1.5"));
  const paid = (receipt?.gasUsed ?? 0n) * (receipt?.gasPrice ?? 0n);
  expect(await provider.getBalance(wallet.address)).toBe(parseEther("10000") - parseEther("1.5") - paid);
});

it("deploys a token, transfers it and finds the event", async () => {
  const contract = await new ContractFactory(token.abi, token.bytecode, wallet).deploy(1000n);
  await contract.waitForDeployment();
  const deployed = new Contract(await contract.getAddress(), token.abi, wallet);
  const to = Wallet.createRandom().address;
  await (await deployed.getFunction("transfer")(to, 7n)).wait();
  expect(await deployed.getFunction("balanceOf")(to)).toBe(7n);
  const events = await deployed.queryFilter(deployed.getEvent("Transfer")(null, to));
  expect(events.map((event) => BigInt(event.data))).toEqual([7n]);
});

it("decodes the custom error of a call that reverts", async () => {
  const contract = await new ContractFactory(token.abi, token.bytecode, wallet).deploy(1n);
  await contract.waitForDeployment();
  const deployed = new Contract(await contract.getAddress(), token.abi, wallet);
  const failure = await deployed
    .getFunction("transfer")
    .staticCall(wallet.address, 2n)
    .catch((error) => error);
  expect(isError(failure, "CALL_EXCEPTION") && failure.revert?.name).toBe("InsufficientBalance");
  expect(isError(failure, "CALL_EXCEPTION") && [...(failure.revert?.args ?? [])]).toEqual([1n, 2n]);
});

it("receives new blocks over WebSocket", async () => {
  const socket = new WebSocketProvider(node.endpoints.ws);
  const heard = new Promise<number>((resolve) => void socket.once("block", resolve));
  await socket.getBlockNumber();
  await (await wallet.sendTransaction({ to: wallet.address, value: 1n })).wait();
  expect(await heard).toBe(await provider.getBlockNumber());
  await socket.destroy();
});

it("signs with an unlocked account of the node", async () => {
  const signer = await provider.getSigner(1);
  const receipt = await (await signer.sendTransaction({ to: wallet.address, value: 5n })).wait();
  expect(receipt?.from.toLowerCase()).toBe(node.accounts[1]?.address);
});
