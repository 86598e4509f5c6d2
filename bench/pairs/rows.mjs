// The rows measured in pairs. A row prepares a node once and then runs short windows, each reporting how much it did.

import { KEY } from "../peers/peers.mjs";
import { word } from "../rpc/lib/asm.mjs";
import { account, derived, keccak, signLegacy } from "../rpc/lib/eth.mjs";
import { load, open } from "../rpc/lib/http.mjs";
import { TOKEN_INIT } from "../rpc/lib/token.mjs";

const root = account(KEY);
const BLOCK_TRANSFERS = 200;
const TOKENS_EACH = 10n ** 18n;
const SENDERS_A_GIFT = 50;
const text = (method, params = []) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

/** State of one node that rows share: its chain, a token, a block of transfers. */
async function prepare(node) {
  node.chainId ??= BigInt(await node.rpc("eth_chainId"));
  node.gasPrice ??= BigInt(await node.rpc("eth_gasPrice")) * 2n;
  node.nonce ??= Number(await node.rpc("eth_getTransactionCount", [root.address, "pending"]));
}

/** Sends the funded account's transactions and waits for the last. @param sent - called once all are sent @returns its receipt */
async function sendRoot(node, transactions, sent = async () => {}) {
  const signed = transactions.map((transaction) =>
    signLegacy({ ...priced(node), nonce: node.nonce++, ...transaction }, root.priv),
  );
  for (const { raw } of signed) await node.rpc("eth_sendRawTransaction", [raw]);
  await sent();
  const receipt = await mined(node, signed.at(-1).hash);
  if (receipt.status !== "0x1") throw new Error(`${node.name}: a transaction of the preparation failed`);
  return receipt;
}

const priced = ({ chainId, gasPrice }) => ({ chainId, gasPrice, gas: 21_000 });

async function mined({ name, rpc }, hash) {
  for (let tries = 0; tries < 1000; tries++) {
    const receipt = await rpc("eth_getTransactionReceipt", [hash]);
    if (receipt !== null) return receipt;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  throw new Error(`${name} does not mine`);
}

async function tokenOf(node) {
  node.token ??= (await sendRoot(node, [{ to: null, gas: 2_000_000, data: TOKEN_INIT }])).contractAddress;
  return node.token;
}

async function fullBlockOf(node) {
  if (node.fullBlock === undefined) {
    const to = (i) => `0x${word((1n << 100n) + BigInt(i)).slice(24)}`;
    const transfers = Array.from({ length: BLOCK_TRANSFERS }, (_, i) => ({ to: to(i), value: 1n }));
    // all in one block: the size of blocks that a node seals on its own is random
    await node.rpc("evm_setAutomine", [false]);
    const { blockNumber } = await sendRoot(node, transfers, () => node.rpc("evm_mine"));
    // every peer starts with a block per second; anvil drops that interval permanently once it mines instantly
    await node.rpc("evm_setIntervalMining", [1]);
    const { transactions } = await node.rpc("eth_getBlockByNumber", [blockNumber, false]);
    if (transactions.length !== BLOCK_TRANSFERS)
      throw new Error(`${node.name}: ${transactions.length} in the block`);
    node.fullBlock = blockNumber;
  }
  return node.fullBlock;
}

const addressAt = (i) => (i === 0 ? root.address : `0x${word(BigInt(i) * 7919n).slice(24)}`);
const BALANCES = Array.from({ length: 256 }, (_, i) => text("eth_getBalance", [addressAt(i), "latest"]));

async function tokenBalances(node) {
  const to = await tokenOf(node);
  return Array.from({ length: 64 }, (_, i) =>
    text("eth_call", [{ to, data: `0x70a08231${addressAt(i).slice(2).padStart(64, "0")}` }, "latest"]),
  );
}

/** A row of requests over several connections. @param bodiesOf returns the texts that are sent in turn */
function reads(name, connections, bodiesOf) {
  return {
    name: `${name}, ${connections} conn`,
    unit: "requests",
    async setUp(node) {
      await prepare(node);
      const bodies = await bodiesOf(node);
      return (ms) => ask(node, connections, bodies, ms);
    },
  };
}

async function ask({ name, url }, conns, bodies, durationMs) {
  const { n, errors, firstError } = await load({ url, conns, durationMs, bodies });
  if (errors > 0) throw new Error(`${name}: ${firstError}`);
  return n;
}

/** A hundred requests in each batch. */
function batches(name, connections, bodiesOf) {
  const batchOf = async (node) => {
    const bodies = await bodiesOf(node);
    const items = Array.from({ length: 100 }, (_, i) => ({
      ...JSON.parse(bodies[i % bodies.length]),
      id: i,
    }));
    return [JSON.stringify(items)];
  };
  const row = reads(`batch of 100 ${name}`, connections, batchOf);
  const setUp = async (node) => {
    const window = await row.setUp(node);
    return async (ms) => 100 * (await window(ms));
  };
  return { ...row, setUp };
}

/** Signed transactions over 32 connections, until all are mined. */
function submissions(name, { senders = 100, each = 10, isToken = false }) {
  return {
    name,
    unit: "transactions",
    async setUp(node) {
      await prepare(node);
      const accounts = Array.from({ length: senders }, (_, i) => derived(`pairs ${name}`, i));
      const value = 10n ** 20n;
      await sendRoot(
        node,
        accounts.map(({ address }) => ({ to: address, value })),
      );
      if (isToken) await giveTokens(node, accounts);
      let nonce = 0;
      let next = signAll(node, accounts, nonce, { each, isToken });
      return {
        /** Signs ahead of the window. */
        make() {
          next ??= signAll(node, accounts, nonce, { each, isToken });
        },
        async run() {
          const lists = next;
          next = undefined;
          nonce += each;
          await submit(node, lists);
          return senders * each;
        },
      };
    },
  };
}

async function giveTokens(node, accounts) {
  const to = await tokenOf(node);
  const gifts = [];
  for (let i = 0; i < accounts.length; i += SENDERS_A_GIFT) {
    const part = accounts.slice(i, i + SENDERS_A_GIFT).map(({ address }) => word(BigInt(address)));
    const data = `0xc204642c${word(64)}${word(TOKENS_EACH)}${word(part.length)}${part.join("")}`;
    gifts.push({ to, gas: SENDERS_A_GIFT * 30_000 + 200_000, data });
  }
  await sendRoot(node, gifts);
}

function signAll(node, accounts, nonce, { each, isToken }) {
  return accounts.map(({ priv }, sender) =>
    Array.from({ length: each }, (_, i) => {
      const to = word(
        BigInt(`0x${Buffer.from(keccak(Buffer.from(`${sender}:${i % 20}`))).toString("hex", 0, 20)}`),
      );
      const paid = isToken
        ? { to: node.token, gas: 80_000, data: `0xa9059cbb${to}${word(1)}` }
        : { to: `0x${to.slice(24)}`, value: 1n };
      return signLegacy({ ...priced(node), ...paid, nonce: nonce + i }, priv);
    }),
  );
}

async function submit(node, lists) {
  let nextList = 0;
  const send = async () => {
    const connection = await open(node.url);
    for (let list = lists[nextList++]; list !== undefined; list = lists[nextList++])
      for (const { raw } of list) await connection.rpc("eth_sendRawTransaction", [raw]);
    connection.close();
  };
  await Promise.all(Array.from({ length: 32 }, send));
  for (const list of lists) {
    const { status } = await mined(node, list.at(-1).hash);
    if (status !== "0x1") throw new Error(`${node.name}: a transaction failed`);
  }
}

const one = (method, params) => () => [text(method, params)];
const ofToken = (method, paramsOf) => async (node) => [text(method, paramsOf(await tokenOf(node)))];
const block = async (node) => [text("eth_getBlockByNumber", [await fullBlockOf(node), true])];
const receipts = async (node) => [text("eth_getBlockReceipts", [await fullBlockOf(node)])];

/** All rows, in the order in which they are measured. */
export const ROWS = [
  reads("eth_blockNumber", 1, one("eth_blockNumber")),
  reads("eth_blockNumber", 32, one("eth_blockNumber")),
  reads("eth_getBalance", 1, () => BALANCES),
  reads("eth_getBalance", 32, () => BALANCES),
  reads("eth_call balanceOf", 1, tokenBalances),
  reads("eth_call balanceOf", 32, tokenBalances),
  reads("eth_gasPrice", 32, one("eth_gasPrice")),
  reads("eth_feeHistory", 32, one("eth_feeHistory", ["0x5", "latest", [25, 75]])),
  reads("eth_accounts", 32, one("eth_accounts")),
  reads(
    "eth_getCode",
    32,
    ofToken("eth_getCode", (to) => [to, "latest"]),
  ),
  reads(
    "eth_getLogs",
    32,
    ofToken("eth_getLogs", (address) => [{ fromBlock: "0x0", address }]),
  ),
  reads(
    "eth_estimateGas of a transfer",
    32,
    one("eth_estimateGas", [{ from: root.address, to: addressAt(1), value: "0x1" }]),
  ),
  reads("whole block", 32, block),
  reads("receipts of a block", 32, receipts),
  batches("eth_blockNumber", 32, one("eth_blockNumber")),
  batches("eth_getBalance", 32, () => BALANCES),
  batches("eth_call balanceOf", 32, tokenBalances),
  submissions("transfers", { senders: 100, each: 15 }),
  submissions("token transfers", { senders: 100, each: 10, isToken: true }),
];
