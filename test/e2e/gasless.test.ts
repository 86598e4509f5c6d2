import {
  type Address,
  createPublicClient,
  createWalletClient,
  custom,
  encodeFunctionData,
  type Hex,
  maxUint256,
} from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type * as Kairn from "../../src/node/index.ts";
import { compile, token } from "./token.ts";

const { createNode }: typeof Kairn = await import(new URL("../../dist/index.js", import.meta.url).href);
type Node = Awaited<ReturnType<typeof createNode>>;

const REGISTRY = "0x0000000000000000000000000000000000000401";
const registry = compile("gasless.sol", "Registry");
const router = compile("gasless.sol", "SwapRouter");
const COIN = 10n ** 18n;
const PRICE = 50_000_000_000n;
const GAS = { lend: 21_000n, approve: 100_000n, swap: 300_000n };
const LATER = 2n ** 40n;

let node: Node;
let genesis: NonNullable<Node["dev"]>["genesis"];
let addresses: { token: Address; router: Address };
beforeAll(async () => {
  genesis = await withRegistry();
  node = await createNode({ dev: true, genesis });
  addresses = await deploy();
});
afterAll(() => node.stop());

// biome-ignore lint/suspicious/noExplicitAny: answers of many methods
const call = (method: string, ...params: unknown[]): Promise<any> =>
  node.provider.request({ method, params });
const balance = async (of: Address, block = "latest") => BigInt(await call("eth_getBalance", of, block));
const nonce = async (of: Address) => Number(await call("eth_getTransactionCount", of, "latest"));

/** The genesis of a development chain, with a registry. */
async function withRegistry() {
  await using plain = await createNode();
  const json = plain.dev?.genesis as { alloc: object };
  return { ...json, alloc: { ...json.alloc, [REGISTRY]: { balance: "0x0", code: registry.code } } } as never;
}

function clients() {
  const transport = custom(node.provider as never);
  const key = `0x${Buffer.from(node.dev?.accounts[0]?.privateKey as Uint8Array).toString("hex")}` as Hex;
  const account = privateKeyToAccount(key);
  return { wallet: createWalletClient({ transport, account }), read: createPublicClient({ transport }) };
}

async function deploy() {
  const { wallet, read } = clients();
  const made = async (contract: typeof token, args: unknown[], value = 0n) => {
    const hash = await wallet.deployContract({ ...contract, args, value, chain: null } as never);
    return (await read.waitForTransactionReceipt({ hash })).contractAddress as Address;
  };
  const tokenAddress = await made(token, [1_000n * COIN]);
  const routerAddress = await made(router, [tokenAddress], 100n * COIN);
  await write(REGISTRY, registry.abi, "setRouter", [routerAddress]);
  return { token: tokenAddress, router: routerAddress };
}

async function write(address: Address, abi: never, functionName: string, args: unknown[]) {
  const { wallet, read } = clients();
  const hash = await wallet.writeContract({ address, abi, functionName, args, chain: null } as never);
  return read.waitForTransactionReceipt({ hash });
}

/** An account with ten tokens and no KAIA. */
async function poor(): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(generatePrivateKey());
  await write(addresses.token, token.abi as never, "transfer", [account.address, 10n * COIN]);
  return account;
}

const sign = (from: PrivateKeyAccount, at: number, to: Address, data: Hex, gas: bigint) =>
  from.signTransaction({ type: "legacy", chainId: 1337, nonce: at, to, data, gas, gasPrice: PRICE });

function approval(from: PrivateKeyAccount, at = 0) {
  const data = encodeFunctionData({
    ...token,
    functionName: "approve",
    args: [addresses.router, maxUint256],
  });
  return sign(from, at, addresses.token, data, GAS.approve);
}

const LOAN = (GAS.approve + GAS.swap) * PRICE;
const REPAY = LOAN + GAS.lend * PRICE;

function swap(from: PrivateKeyAccount, at: number, repay = REPAY, amount = COIN) {
  const args = [addresses.token, amount, amount, repay, LATER];
  return sign(
    from,
    at,
    addresses.router,
    encodeFunctionData({ ...router, functionName: "swapForGas", args }),
    GAS.swap,
  );
}

const send = (raw: Hex): Promise<Hex> => call("eth_sendRawTransaction", raw);
const receipt = (hash: Hex) => call("eth_getTransactionReceipt", hash);

describe("a sender without KAIA", () => {
  let lender: Address;
  beforeAll(async () => {
    lender = Object.keys((await call("kaia_getRewards", "latest")).rewards)[0] as Address;
  });
  beforeEach(() => write(addresses.router, router.abi as never, "setClosed", [false]));

  it("pays for an approval and a swap from the proceeds of the swap", async () => {
    const sender = await poor();
    const first = await send(await approval(sender));
    expect([await receipt(first), await call("txpool_status")]).toEqual([
      null,
      { pending: "0x0", queued: "0x1" },
    ]);
    const second = await send(await swap(sender, 1));
    const { blockNumber } = await receipt(second);
    const { transactions } = await call("eth_getBlockByNumber", blockNumber, true);
    const [lend] = transactions;
    expect(transactions.map(({ hash }: { hash: Hex }) => hash)).toEqual([lend.hash, first, second]);
    expect(lend).toMatchObject({ type: "0x2", from: lender, to: sender.address.toLowerCase(), input: "0x" });
    expect(BigInt(lend.value)).toBe(LOAN);
    const receipts = await Promise.all(transactions.map(({ hash }: { hash: Hex }) => receipt(hash)));
    expect(receipts.map(({ status }) => status)).toEqual(["0x1", "0x1", "0x1"]);

    const [, ...own] = receipts.map(({ gasUsed }) => BigInt(gasUsed) * PRICE);
    const spent = own.reduce((sum, fee) => sum + fee, 0n);
    expect(await balance(sender.address)).toBe(LOAN - spent + COIN - REPAY);
    const before = await balance(lender, `0x${(Number(blockNumber) - 1).toString(16)}`);
    const { rewards } = await call("kaia_getRewards", blockNumber);
    // The loan and its fee were repaid exactly; the reward is a rounded JSON number.
    expect(Number((await balance(lender)) - before)).toBe(rewards[lender]);
  });

  it("swaps alone once the router is approved", async () => {
    const sender = await poor();
    await send(await approval(sender));
    await send(await swap(sender, 1));
    await call("anvil_setBalance", sender.address, "0x0");
    const repay = (GAS.lend + GAS.swap) * PRICE;
    const raw = await swap(sender, 2, repay);
    expect(await call("debug_isGaslessTx", [raw])).toEqual({ isGasless: true, reason: null });
    expect(await receipt(await send(raw))).toMatchObject({ status: "0x1", transactionIndex: "0x1" });
    expect(await balance(sender.address)).toBeGreaterThan(0n);
  });

  it("has no effect if the swap fails, and does not affect the rest of the block", async () => {
    const [sender, other] = [await poor(), await poor()];
    await write(addresses.router, router.abi as never, "setClosed", [true]);
    const before = [await nonce(lender), await call("eth_blockNumber")];
    const hashes = [await send(await approval(sender)), await send(await swap(sender, 1))];
    expect(await Promise.all(hashes.map(receipt))).toEqual([null, null]);
    expect([await nonce(lender), await call("eth_blockNumber")]).toEqual(before);

    await call("evm_setAutomine", false);
    await send(await approval(other));
    await send(await swap(other, 1));
    const [from] = await call("eth_accounts");
    const transfer = await call("eth_sendTransaction", { from, to: from, value: "0x1" });
    await call("evm_mine");
    await call("evm_setAutomine", true);
    const { transactions } = await call("eth_getBlockByNumber", "latest", false);
    expect(transactions).toEqual([transfer]);
    expect(await call("txpool_status")).toEqual({ pending: "0x0", queued: "0x0" });
    expect([await nonce(lender), await balance(sender.address), await balance(other.address)]).toEqual([
      before[0],
      0n,
      0n,
    ]);
  });

  it("shares a block with other bundles", async () => {
    const senders = [await poor(), await poor(), await poor()];
    await call("evm_setAutomine", false);
    for (const sender of senders) {
      await send(await swap(sender, 1));
      await send(await approval(sender));
    }
    await call("evm_mine");
    await call("evm_setAutomine", true);
    const { transactions } = await call("eth_getBlockByNumber", "latest", true);
    expect(transactions).toHaveLength(9);
    expect([0, 3, 6].map((at) => transactions[at].from)).toEqual([lender, lender, lender]);
  });

  it("stays queued if the repayment is wrong, and learns why if it cannot pay", async () => {
    const sender = await poor();
    const raws = [await approval(sender), await swap(sender, 1, REPAY - 1n)];
    expect(await call("debug_isGaslessTx", raws)).toEqual({
      isGasless: false,
      reason: `swap transaction has incorrect amountRepay: got ${REPAY - 1n}, expected ${REPAY}`,
    });
    for (const raw of raws) await send(raw);
    expect(await call("txpool_status")).toEqual({ pending: "0x0", queued: "0x2" });
    await call("anvil_dropAllTransactions");
    await expect(send(await swap(sender, 1, REPAY, 11n * COIN))).rejects.toMatchObject({
      message: `insufficient balance: balance=${10n * COIN}, want=${11n * COIN}`,
    });
  });

  it("learns the amount lent", async () => {
    expect(await call("debug_gaslessInfo")).toEqual({
      isDisabled: false,
      swapRouter: addresses.router,
      allowedTokens: [addresses.token],
      maxBundleTxs: 100,
    });
    await using off = await createNode({ dev: true, genesis, gasless: false });
    const info = await off.provider.request({ method: "debug_gaslessInfo" });
    expect(info).toMatchObject({ isDisabled: true, allowedTokens: [] });
  });
});

/** Runs a test on a separate node with its own router. */
async function elsewhere(options: Parameters<typeof createNode>[0], work: () => Promise<void>) {
  const [kept, contracts] = [node, addresses];
  await using other = await createNode({ dev: true, ...options, genesis });
  node = other;
  try {
    addresses = await deploy();
    await work();
  } finally {
    node = kept;
    addresses = contracts;
  }
}

it("lends without checking balances at a lower check level", async () => {
  const withoutTokens = privateKeyToAccount(generatePrivateKey());
  const raw = () => approval(withoutTokens);
  await elsewhere({ gasless: { checkLevel: 1 } }, async () => {
    await expect(send(await raw())).rejects.toThrow("insufficient sender token balance");
  });
  await elsewhere({ gasless: { checkLevel: 0 } }, async () => {
    await send(await raw());
    expect(await call("txpool_status")).toEqual({ pending: "0x0", queued: "0x1" });
  });
});

it("lends only for configured tokens", async () => {
  await elsewhere({ gasless: { allowedTokens: [new Uint8Array(20).fill(1)] } }, async () => {
    expect(await call("debug_gaslessInfo")).toMatchObject({ allowedTokens: [] });
    await expect(send(await approval(privateKeyToAccount(generatePrivateKey())))).rejects.toThrow(
      "insufficient funds",
    );
  });
});

it("limits the number of queued bundle parts", () =>
  elsewhere({ gasless: { maxQueued: 2 } }, async () => {
    const [one, two, three] = [await poor(), await poor(), await poor()];
    await call("evm_setAutomine", false);
    for (const sender of [one, two]) await send(await swap(sender, 1));
    await expect(send(await approval(three))).rejects.toThrow("bundle tx queue is full");
    await call("anvil_dropAllTransactions");
    await send(await approval(one));
    await send(await swap(one, 1));
    expect(await call("txpool_status")).toEqual({ pending: "0x2", queued: "0x0" });
  }));

it("seals blocks that other nodes accept", () =>
  elsewhere({ dev: { timestamp: 1_700_000_000n } }, async () => {
    const sender = await poor();
    await send(await approval(sender));
    const { blockNumber } = await receipt(await send(await swap(sender, 1)));
    await using follower = await createNode({ genesis });
    for (let number = 1; number <= Number(blockNumber); number++) {
      const rlp = await call("debug_getBlockRlp", `0x${number.toString(16)}`);
      await follower.provider.request({ method: "admin_importChainFromString", params: [rlp] });
    }
    const read = { method: "eth_getBlockByNumber", params: [blockNumber, true] };
    expect(await follower.provider.request(read)).toEqual(await call(read.method, ...read.params));
  }));
