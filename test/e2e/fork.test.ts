import { createPublicClient, createTestClient, createWalletClient, http, parseAbi, parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type StartedNode, startNode } from "./started-node.ts";
import { token as compiled } from "./token.ts";

let origin: StartedNode;
let fork: StartedNode;
beforeAll(async () => {
  origin = await startNode();
});
afterAll(async () => {
  expect(await fork?.stop()).toBe(0);
  expect(await origin.stop()).toBe(0);
});

const clientsOf = ({ endpoints, accounts }: StartedNode) => {
  const transport = http(endpoints.http);
  const account = privateKeyToAccount(accounts[0]?.privateKey as `0x${string}`);
  return {
    read: createPublicClient({ transport }),
    wallet: createWalletClient({ transport, account }),
    test: createTestClient({ mode: "anvil", transport }),
    account,
  };
};

it("continues the chain of a running node, with its tokens and history", async () => {
  const there = clientsOf(origin);
  const deployed = await there.wallet.deployContract({ ...compiled, args: [1_000n], chain: null });
  const { contractAddress } = await there.read.getTransactionReceipt({ hash: deployed });
  const token = { address: contractAddress as `0x${string}`, abi: parseAbi(TOKEN) };
  const receiver = "0x00000000000000000000000000000000000a11ce";
  const send = (clients: typeof there) =>
    clients.wallet.writeContract({ ...token, functionName: "transfer", args: [receiver, 5n], chain: null });
  await there.read.waitForTransactionReceipt({ hash: await send(there) });
  const block = await there.read.getBlockNumber();

  fork = await startNode("--fork-url", origin.endpoints.http, "--no-fork-cache");
  const here = clientsOf(fork);
  expect([fork.chainId, fork.blockNumber]).toEqual([origin.chainId, Number(block)]);
  const balance = (clients: typeof there) =>
    clients.read.readContract({ ...token, functionName: "balanceOf", args: [receiver] });
  expect(await balance(here)).toBe(5n);
  await here.read.getTransactionReceipt({ hash: await send(here) });
  expect([await balance(here), await balance(there)]).toEqual([10n, 5n]);
  const events = await here.read.getContractEvents({ ...token, eventName: "Transfer", fromBlock: 0n });
  expect(events.filter(({ args }) => args.to?.toLowerCase() === receiver)).toHaveLength(2);
  expect(await here.read.getBlock({ blockNumber: block })).toEqual(
    await there.read.getBlock({ blockNumber: block }),
  );

  await here.test.setBalance({ address: receiver, value: parseEther("3") });
  await there.test.mine({ blocks: 2 });
  await here.test.reset({ jsonRpcUrl: origin.endpoints.http }).catch((error: Error) => {
    // A chain in a folder stays at its block.
    expect(error.message).toMatch(/data folder keeps/);
  });
  expect(await here.read.getBalance({ address: receiver })).toBe(parseEther("3"));
});

const TOKEN = [
  "function transfer(address to, uint256 value) returns (bool)",
  "function balanceOf(address) view returns (uint256)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
];
