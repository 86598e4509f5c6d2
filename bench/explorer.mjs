// `node bench/explorer.mjs [--blocks 1000000] [--datadir FOLDER]`: requests of a block explorer while a development chain grows by
// blocks and logs. Every 100th block has a transaction with 100 logs; ten of the first thousand blocks have the log
// searched for. A given folder is kept, and its chain is continued in the next run.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureBuilt, ensureInstalled } from "../scripts/lib.mjs";
import { startDevNode } from "./dev-node.mjs";
import { CONTRACTS, initCode, word } from "./rpc/lib/asm.mjs";
import { account, signLegacy } from "./rpc/lib/eth.mjs";
import { load, open } from "./rpc/lib/http.mjs";
import { usage } from "./rpc/lib/proc.mjs";

const STRIDE = 100;
const LOGS = 100;
const NEEDLE = 0x6b6169726en;
const NEEDLES = 10;
const DELEGATED_EVERY = 10; // of the transactions
const SIZES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
const WARM_MS = 1_500;
const MEASURE_MS = 3_000;

const { values } = parseArgs({
  options: { blocks: { type: "string", default: "100000" }, datadir: { type: "string" } },
});
const blocks = Number(values.blocks);
ensureInstalled();
ensureBuilt();

const folder = values.datadir ?? mkdtempSync(join(tmpdir(), "kairn-explorer-"));
const notes = join(folder, "explorer.json");
const node = await startDevNode(folder, ["--balance", "1000000000"]);
try {
  await measure(node.banner);
} finally {
  await node.stop();
  if (values.datadir === undefined) rmSync(folder, { recursive: true });
}
process.exit();

async function measure({ endpoints: { http: url }, accounts }) {
  const client = await open(url);
  const sender = account(accounts[0].privateKey);
  const chainId = BigInt(await client.rpc("eth_chainId"));
  const gasPrice = BigInt(await client.rpc("eth_gasPrice")) * 2n;
  const { sent, senderHashes, ...grown } = existsSync(notes)
    ? JSON.parse(readFileSync(notes, "utf8"))
    : { sent: [], senderHashes: [], height: 0 };
  let { height } = grown;

  const send = async (tx) => {
    const { raw } = signLegacy({ nonce: sent.length, gasPrice, chainId, ...tx }, sender.priv);
    const hash = await client.rpc("eth_sendRawTransaction", [raw]);
    sent.push(hash);
    for (;;) {
      const receipt = await client.rpc("eth_getTransactionReceipt", [hash]);
      if (receipt?.status === "0x1") return receipt;
      if (receipt) throw new Error("a transaction failed");
    }
  };
  const delegate = async () => {
    const [, from, feePayer] = accounts.map(({ address }) => address);
    const hash = await client.rpc("kaia_sendTransactionAsFeePayer", [
      (
        await client.rpc("kaia_signTransactionAsFeePayer", [
          await signed(client, { typeInt: 9, from, to: feePayer, value: "0x1", gas: "0x186a0", feePayer }),
        ])
      ).tx,
    ]);
    const { senderTxHash } = await client.rpc("kaia_getTransactionByHash", [hash]);
    senderHashes.push(senderTxHash);
  };

  const { contractAddress: to } =
    sent.length === 0
      ? await send({ to: null, gas: 1_000_000, data: initCode(CONTRACTS.logs) })
      : await client.rpc("eth_getTransactionReceipt", [sent[0]]);
  const grow = async () => {
    await client.rpc("anvil_mine", [`0x${(STRIDE - 1).toString(16)}`]);
    const topic = sent.length <= NEEDLES ? NEEDLE : 0n;
    await send({ to, gas: 1_000_000, data: `0x${word(LOGS)}${word(topic)}` });
    if (sent.length % DELEGATED_EVERY === 0) await delegate();
    height += STRIDE;
  };

  const search = (filter, fromBlock = "0x0") => [
    "eth_getLogs",
    [{ fromBlock, toBlock: "latest", ...filter }],
  ];
  const topic = (n) => `0x${word(n)}`;
  const needles = { topics: [topic(NEEDLE)] };

  let isBegun = false;
  const row = async () => {
    const latest = Number(await client.rpc("eth_blockNumber"));
    const pick = (list, i) => list[Math.floor((i * list.length) / 64)];
    const many = (make) => Array.from({ length: 64 }, (_, i) => make(i));
    const questions = {
      "no log": [search({ topics: [topic(1n)] })],
      "10 logs": [search(needles)],
      "10 by alternatives": [
        search({ address: [to, sender.address], topics: [many((i) => topic(NEEDLE + BigInt(i)))] }),
      ],
      "last 1,000": [search({ topics: [null, topic(7n)] }, `0x${Math.max(0, latest - 999).toString(16)}`)],
      transaction: many((i) => ["eth_getTransactionByHash", [pick(sent, i)]]),
      receipt: many((i) => ["eth_getTransactionReceipt", [pick(sent, i)]]),
      "sender and nonce": many((i) => [
        "eth_getTransactionBySenderAndNonce",
        [sender.address, `0x${Math.floor((i * sent.length) / 64).toString(16)}`],
      ]),
      "sender's last 25": [["eth_getTransactionsBySender", [sender.address, null, null, true]]],
      "sender tx hash": many((i) => ["kaia_getTransactionBySenderTxHash", [pick(senderHashes, i)]]),
    };
    const cells = [];
    for (const calls of Object.values(questions)) {
      const bodies = calls.map(([method, params]) =>
        JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      );
      await load({ url, conns: 4, durationMs: WARM_MS, bodies });
      const before = usage(node.pid).cpu;
      const { n, errors, firstError } = await load({ url, conns: 4, durationMs: MEASURE_MS, bodies });
      if (errors > 0) throw new Error(`${calls[0][0]}: ${firstError}`);
      cells.push(Math.round(n / (usage(node.pid).cpu - before)));
    }
    if (!isBegun) {
      print(["blocks", "logs", ...Object.keys(questions), "own memory, MiB", "mapped pages, MiB"]);
      print(Array(cells.length + 4).fill("---"));
      isBegun = true;
    }
    const { own, mapped } = memory(node.pid);
    print([latest, (latest / STRIDE) * LOGS, ...cells, own, mapped]);
  };

  console.log("Responses per second of server CPU; first the searches over all blocks\n");
  for (const size of SIZES.filter((each) => each <= blocks && each > height - STRIDE)) {
    while (height < size) await grow();
    writeFileSync(notes, JSON.stringify({ sent, senderHashes, height }));
    await row();
  }

  console.log(
    "\nOne large search, and the longest wait of eth_blockNumber on another connection meanwhile\n",
  );
  print(["search", "answer", "ms", "longest wait, ms"]);
  print(Array(4).fill("---"));
  const large = {
    "one log of every transaction": search({ topics: [null, topic(7n)] }),
    "all logs of an address": search({ address: to }),
    "all logs": search({}),
    "logs with a topic that does not occur": search({ address: to, topics: [topic(0xfen), null, topic(1n)] }),
  };
  for (const [name, call] of Object.entries(large)) print([name, ...(await wait(url, client, call))]);
}

/** Runs a search once on its own connection. @returns its outcome, and how long it and concurrent calls took */
async function wait(url, client, [method, params]) {
  const other = await open(url);
  const start = performance.now();
  let isRunning = true;
  const outcome = client
    .rpc(method, params)
    .then(
      (found) => `${found.length.toLocaleString("en")} logs`,
      (error) => `${error.message}`,
    )
    .finally(() => {
      isRunning = false;
    });
  let longest = 0;
  while (isRunning) {
    const asked = performance.now();
    await other.rpc("eth_blockNumber");
    longest = Math.max(longest, performance.now() - asked);
  }
  return [await outcome, (performance.now() - start).toFixed(0), longest.toFixed(0)];
}

/** Memory of a process, MiB: its own, and file pages that the system can reclaim at once. */
function memory(pid) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
  const field = (name) => Number(new RegExp(`^${name}: +(\\d+) kB`, "m").exec(text)?.[1]) / 1024;
  const own = field("Anonymous");
  return { own: Math.round(own), mapped: Math.round(field("Rss") - own) };
}

async function signed(client, tx) {
  return (await client.rpc("kaia_signTransaction", [tx])).tx;
}

function print(cells) {
  const text = (cell) => (Number.isNaN(Number(cell)) ? cell : Number(cell).toLocaleString("en"));
  console.log(`| ${cells.map(text).join(" | ")} |`);
}
