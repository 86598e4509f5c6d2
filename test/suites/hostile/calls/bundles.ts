import { addressWord, callInput, uintWord } from "../../../../src/ledger/extensions/contracts/abi.ts";
import { repayAmount } from "../../../../src/ledger/extensions/gasless/loan.ts";
import { bytesToHex, hexToBytes } from "../../../../src/protocol/primitives/hex.ts";
import { encodeTransaction } from "../../../../src/protocol/transaction/encoding.ts";
import { signTransaction } from "../../../../src/protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../../../src/protocol/transaction/transaction.ts";
import { transactionType } from "../../../../src/protocol/transaction/type-table.ts";
import { createTransaction } from "../../../../src/protocol/transaction/value.ts";
import { ask, spentMs } from "../reads/rpc.ts";
import { type HostileRow, hold } from "../row.ts";
import { type AttackedNode, onNode } from "../transports/attacked-node.ts";
import { heldWhile } from "./held.ts";

const PRICE = 50_000_000_000n;
const REGISTRY = "0x0000000000000000000000000000000000000401";
const ROUTER = "0x000000000000000000000000000000000000507e";
const TOKEN = "0x0000000000000000000000000000000000070ce7";
/**
 * Contracts that make everybody eligible for loans of fees: a registry that names the router, a token of which all have enough, a
 * router that lists it, exchanges one to one, and pays the proposer what `swapForGas` specifies.
 */
const CONTRACTS: Readonly<Record<string, string>> = {
  [REGISTRY]: "0x61507e5f5260205ff3",
  [TOKEN]: "0x5f195f5260205ff3",
  [ROUTER]:
    "0x3660041460195736604414602e575f5f5f5f606435415af1005b60205f52600160205262070ce760405260605ff35b6024355f5260205ff3",
};
const RICH = "0xffffffffffffffffffffff";

/** Transfers before them in a block, and failing bundles. */
const TRANSFERS = 2000;
const FAILING = 50;
/** CPU time of a block with them, as a multiple of one without, plus milliseconds for the bundles themselves. */
const MAX = { times: 2, ms: 200 };
/** Bundles of a flood; by default at most 100 of their transactions are executable, and 200 queued. */
const FLOOD = 600;
const MAX_KEPT = { pending: 100, queued: 200 };
/** Maximum CPU time in milliseconds for which the main thread may be blocked. */
const MAX_HELD = 150;
/** Gas of a swap that runs, and of one that is accepted and fails. */
const SWAP_GAS = { enough: 100_000n, tooLittle: 24_000n };

function signed(sender: number, nonce: bigint, to: string, input: Uint8Array, gas: bigint): Transaction {
  const type = transactionType(0) as Transaction["type"];
  const fields = { type, nonce, to: hexToBytes(to), input, value: 0n, gas, gasPrice: PRICE };
  return signTransaction(createTransaction(fields), [uintWord(BigInt(sender + 1_000_000))], 1337n);
}

function approvalOf(sender: number, gas = 100_000n): Transaction {
  const words = [addressWord(hexToBytes(ROUTER)), uintWord(2n ** 256n - 1n)];
  return signed(sender, 0n, TOKEN, callInput("approve(address,uint256)", ...words), gas);
}

/** @param less - of what it must pay back, kei */
function swapOf(sender: number, gas: bigint, less = 0n): Transaction {
  const swap = (repay: bigint) => {
    const words = [10n ** 18n, 10n ** 18n, repay, 2n ** 40n].map(uintWord);
    const signature = "swapForGas(address,uint256,uint256,uint256,uint256)";
    return signed(sender, 1n, ROUTER, callInput(signature, addressWord(hexToBytes(TOKEN)), ...words), gas);
  };
  return swap(repayAmount(approvalOf(sender), swap(0n)) - less);
}

/** @returns the messages of the rejections */
async function sendAll({ port }: AttackedNode, transactions: readonly Transaction[]): Promise<string[]> {
  const params = transactions.map((tx) => [bytesToHex(encodeTransaction(tx))]);
  return batches(port, "eth_sendRawTransaction", params);
}

async function batches(port: number, method: string, all: readonly unknown[][]): Promise<string[]> {
  const refusals: string[] = [];
  for (let at = 0; at < all.length; at += 200) {
    const batch = all.slice(at, at + 200).map((params, id) => ({ jsonrpc: "2.0", id, method, params }));
    const headers = { "content-type": "application/json" };
    const response = await fetch(`http://127.0.0.1:${port}`, {
      ...{ method: "POST", headers, body: JSON.stringify(batch) },
    });
    for (const { error } of (await response.json()) as { error?: { message: string } }[])
      if (error) refusals.push(error.message);
  }
  return refusals;
}

/** @returns the lender's address */
async function setUp({ port }: AttackedNode): Promise<string> {
  for (const [address, code] of Object.entries(CONTRACTS)) await ask(port, "anvil_setCode", [address, code]);
  await ask(port, "anvil_setBalance", [ROUTER, RICH]);
  await ask(port, "anvil_mine");
  const { rewards } = (await ask(port, "kaia_getRewards", ["latest"])) as { rewards: object };
  const lender = Object.keys(rewards)[0] as string;
  await ask(port, "anvil_setBalance", [lender, RICH]);
  return lender;
}

async function fill({ port }: AttackedNode): Promise<void> {
  const [from] = (await ask(port, "eth_accounts")) as string[];
  const transfer = {
    from,
    to: from,
    value: "0x1",
    gas: "0x5208",
    gasPrice: `0x${(PRICE + 1n).toString(16)}`,
  };
  await batches(
    port,
    "eth_sendTransaction",
    Array.from({ length: TRANSFERS }, () => [transfer]),
  );
}

/** @returns CPU time of the next block, and how many transactions it has */
async function mined(node: AttackedNode): Promise<{ ms: number; count: number }> {
  const before = spentMs(node);
  await ask(node.port, "anvil_mine");
  const ms = Math.round(spentMs(node) - before);
  return { ms, count: Number(await ask(node.port, "eth_getBlockTransactionCountByNumber", ["latest"])) };
}

async function waiting({ port }: AttackedNode): Promise<{ pending: number; queued: number }> {
  const { pending, queued } = (await ask(port, "txpool_status")) as { pending: string; queued: string };
  return { pending: Number(pending), queued: Number(queued) };
}

/** Bundles that pass every check and fail in the block, after many transfers. */
async function failing(node: AttackedNode): Promise<string> {
  await fill(node);
  const plain = await mined(node);
  await fill(node);
  const senders = Array.from({ length: FAILING }, (_, i) => i);
  await sendAll(
    node,
    senders.flatMap((i) => [approvalOf(i), swapOf(i, SWAP_GAS.tooLittle)]),
  );
  hold((await waiting(node)).pending === TRANSFERS + 2 * FAILING, JSON.stringify(await waiting(node)));
  const { ms, count } = await mined(node);
  const figures = `${plain.ms} ms of processor time for ${plain.count} transfers, ${ms} with ${FAILING} failing bundles`;
  hold(count === TRANSFERS && (await waiting(node)).pending === 0, `${count} transactions`);
  hold(ms <= MAX.times * plain.ms + MAX.ms, figures);
  return figures;
}

/** Partial bundles, wrong order, insufficient repayment, a replaced approval: nothing is lent to invalid bundles. */
async function halves(node: AttackedNode, lender: string): Promise<void> {
  const nonce = () => ask(node.port, "eth_getTransactionCount", [lender, "latest"]);
  const before = await nonce();
  const swap = (i: number, less = 0n) => swapOf(i, SWAP_GAS.enough, less);
  await sendAll(node, [approvalOf(100), swap(101), approvalOf(102), swap(102, 1n)]);
  await sendAll(node, [swap(103), approvalOf(103, 90_000n), swap(104, 10n ** 15n), approvalOf(104)]);
  await sendAll(node, [approvalOf(105), swap(105), approvalOf(105, 120_000n), swap(105, 2n)]);
  const { count } = await mined(node);
  const whole = Number(await nonce()) - Number(before);
  hold(whole <= 1 && count === 3 * whole, `${count} transactions, ${whole} loans`);
  await ask(node.port, "anvil_dropAllTransactions");
}

/** More bundles than may be queued. */
async function flood(node: AttackedNode, lender: string): Promise<string> {
  const senders = Array.from({ length: FLOOD }, (_, i) => 1000 + i);
  const pairs = senders.flatMap((i) => [approvalOf(i), swapOf(i, SWAP_GAS.enough)]);
  let refusals: string[] = [];
  const sending = sendAll(node, pairs).then((texts) => (refusals = texts));
  let held = await heldWhile(node, sending);
  const { pending, queued } = await waiting(node);
  hold(pending <= MAX_KEPT.pending && queued <= MAX_KEPT.queued, `${pending} pending, ${queued} queued`);
  hold(refusals.includes("bundle tx queue is full"), `refused: ${refusals[0]}`);
  const balance = async () => BigInt((await ask(node.port, "eth_getBalance", [lender, "latest"])) as string);
  const before = await balance();
  for (let blocks = 0; blocks < 4; blocks++)
    held = Math.max(held, await heldWhile(node, ask(node.port, "anvil_mine")));
  hold((await balance()) >= before, "the proposer lost what it lent");
  hold(held <= MAX_HELD, `the main thread was held for ${held} ms of its time`);
  return `of ${2 * FLOOD} parts ${pending} pending and ${queued} queued, at most ${held} ms in one piece`;
}

/** Attacks on gas abstraction by senders whom it costs nothing. @see KIP-247 */
export const bundleRow: HostileRow = {
  id: "L24",
  promise: "sponsored bundles do not cost the proposer extra, and no partial bundle is lent fees",
  run: () =>
    onNode(
      async (node) => {
        const lender = await setUp(node);
        await halves(node, lender);
        return `${await failing(node)}; ${await flood(node, lender)}`;
      },
      ...["--block-time", "1000s", "--txpool.exec-slots.account", "8000", "--txpool.exec-slots.all", "8000"],
    ),
};
