import { afterAll, beforeAll, expect, it } from "vitest";
import { Web3 } from "web3";
import { type StartedNode, startNode } from "./started-node.ts";
import { token } from "./token.ts";

let node: StartedNode;
let web3: Web3;
beforeAll(async () => {
  node = await startNode();
  web3 = new Web3(node.endpoints.ws);
  web3.eth.transactionPollingInterval = 50;
});
afterAll(async () => {
  web3.provider?.disconnect();
  expect(await node.stop()).toBe(0);
});

it("sends from an unlocked account", async () => {
  const [from, to] = (await web3.eth.getAccounts()) as [string, string];
  const before = await web3.eth.getBalance(to);
  const receipt = await web3.eth.sendTransaction({ from, to, value: "12345" });
  expect(receipt.status).toBe(1n);
  expect((await web3.eth.getBalance(to)) - before).toBe(12345n);
});

it("deploys a token and receives its event through a subscription", async () => {
  const [from, to] = (await web3.eth.getAccounts()) as [string, string];
  const contract = new web3.eth.Contract(token.abi);
  const deployed = await contract.deploy({ data: token.bytecode, arguments: [1000] }).send({ from });
  const subscription = await web3.eth.subscribe("logs", { address: deployed.options.address as string });
  const heard = new Promise<{ data?: unknown }>((resolve) => void subscription.on("data", resolve));
  await deployed.methods["transfer"]?.(to, 9).send({ from });
  expect(BigInt((await heard).data as string)).toBe(9n);
  expect(await deployed.methods["balanceOf"]?.(to).call()).toBe(9n);
});
