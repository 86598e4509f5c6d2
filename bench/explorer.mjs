// `node bench/explorer.mjs [--blocks 1000000]`: what an explorer asks, while a development chain grows by blocks and logs.
// Every 100th block has a transaction with 100 logs; ten of the first thousand blocks have a log that is searched for.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureBuilt, ensureInstalled, root } from "../scripts/lib.mjs";
import { CONTRACTS, initCode, word } from "./rpc/lib/asm.mjs";
import { account, signLegacy } from "./rpc/lib/eth.mjs";
import { load, open } from "./rpc/lib/http.mjs";
import { usage } from "./rpc/lib/proc.mjs";

const STRIDE = 100;
const LOGS = 100;
const NEEDLE = 0x6b6169726en;
const NEEDLES = 10;
const DELEGATED_EVERY = 10; // of the transactions
const WARM_MS = 500;
const MEASURE_MS = 1_000;

const { values } = parseArgs({ options: { blocks: { type: "string", default: "100000" } } });
const blocks = Number(values.blocks);
ensureInstalled();
ensureBuilt();

const folder = mkdtempSync(join(tmpdir(), "kairn-explorer-"));
const node = spawn(
  process.execPath,
  [
    join(root, "bin", "kairn"),
    ...["dev", "--datadir", folder, "--rpcport", "0", "--wsport", "0", "--balance", "1000000000", "--json"],
  ],
  { stdio: ["ignore", "pipe", "inherit"] },
);
const ended = new Promise((resolve) => node.once("exit", resolve));
try {
  const banner = JSON.parse(
    await new Promise((resolve) => node.stdout.once("data", (data) => resolve(`${data}`))),
  );
  await measure(banner);
} finally {
  node.kill("SIGINT");
  await ended;
  rmSync(folder, { recursive: true });
}
process.exit();

async function measure({ endpoints: { http: url }, accounts }) {
  const client = await open(url);
  const sender = account(accounts[0].privateKey);
  const chainId = BigInt(await client.rpc("eth_chainId"));
  const gasPrice = BigInt(await client.rpc("eth_gasPrice")) * 2n;
  const sent = [];
  const senderHashes = [];
  let height = 0;

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

  const { contractAddress: to } = await send({ to: null, gas: 1_000_000, data: initCode(CONTRACTS.logs) });
  const grow = async () => {
    await client.rpc("anvil_mine", [`0x${(STRIDE - 1).toString(16)}`]);
    const topic = sent.length <= NEEDLES ? NEEDLE : 0n;
    await send({ to, gas: 1_000_000, data: `0x${word(LOGS)}${word(topic)}` });
    if (sent.length % DELEGATED_EVERY === 0) await delegate();
    height += STRIDE;
  };

  const row = async () => {
    const latest = Number(await client.rpc("eth_blockNumber"));
    const pick = (list, i) => list[Math.floor((i * list.length) / 64)];
    const many = (make) => Array.from({ length: 64 }, (_, i) => make(i));
    const topics = [`0x${word(NEEDLE)}`];
    const logs = (from) => [
      "eth_getLogs",
      [{ fromBlock: `0x${from.toString(16)}`, toBlock: "latest", topics }],
    ];
    const questions = {
      "logs, all blocks": [logs(0)],
      "logs, last 1,000": [logs(Math.max(0, latest - 999))],
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
    const total = ((latest / STRIDE) * LOGS).toFixed(0);
    print([latest, total, ...cells, usage(node.pid).rssMiB.toFixed(0)]);
  };

  const names = ["logs, all blocks", "logs, last 1,000", "receipt", "sender and nonce", "sender's last 25"];
  console.log("Answers per second of server CPU\n");
  print(["blocks", "logs", ...names, "sender tx hash", "memory, MiB"]);
  print(Array(9).fill("---"));
  for (let size = 1_000; size <= blocks; size *= 10) {
    while (height < size) await grow();
    await row();
  }
}

async function signed(client, tx) {
  return (await client.rpc("kaia_signTransaction", [tx])).tx;
}

function print(cells) {
  const text = (cell) => (Number.isNaN(Number(cell)) ? cell : Number(cell).toLocaleString("en"));
  console.log(`| ${cells.map(text).join(" | ")} |`);
}
