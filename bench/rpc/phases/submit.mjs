// Presigned transactions, sent over several connections, until the receipts of all senders are available.
import { setTimeout as pause } from "node:timers/promises";
import { requestText } from "../chain.mjs";
import { word } from "../lib/asm.mjs";
import { derived, keccak } from "../lib/eth.mjs";
import { open } from "../lib/http.mjs";
import { perCpu } from "../meter.mjs";

/** Recipients of each sender. */
const RECIPIENTS = 20;
const TOKEN_GAS = 80_000;
const TOKENS_EACH = 10n ** 18n;
/** Senders that get tokens in one transaction. */
const SENDERS_A_GIFT = 50;
/** If a node rejects temporarily, the request is repeated after this delay, this often. */
const AGAIN = { pauseMs: 25, times: 400 };
const RECEIPTS_AT_ONCE = 100;
/** The node already has it: not a rejection. */
const IS_THERE = /known|already|nonce too low/i;

export async function submit({ options, chain, note, timed }) {
  for (const name of options.kinds.split(",")) {
    const total = name === "transfer" ? options.n : options.tokens;
    if (!total) continue;
    const senders = Array.from({ length: Math.min(options.senders, total) }, (_, i) =>
      derived(`bench-${name}-${options.run}`, i),
    );
    const each = Math.floor(total / senders.length);
    await fund(chain, senders, each);
    const lists =
      name === "transfer" ? transfers(chain, senders, each) : await tokenTransfers(chain, senders, each);
    const n = senders.length * each;
    const r = await timed(() => sendAll(chain, lists, options.conns, options.timeout * 1000));
    note({
      ...{ kind: "submit", name, n, senders: senders.length, conns: options.conns },
      submitPerS: Math.round(n / r.sentSeconds),
      tps: Math.round(n / r.seconds),
      tpsPerServerCpu: perCpu(n, r.serverCpu),
      ...{
        submitP50: r.p50,
        submitP99: r.p99,
        retries: r.retries,
        failed: r.failed,
        firstError: r.firstError,
      },
      ...{ sendersUnfinished: r.unfinished, badStatus: r.badStatus },
      ...{
        serverCpu: r.serverCpu,
        clientCpu: r.clientCpu,
        wall: r.wall,
        rssMiB: r.rssMiB,
        machineBusy: r.machineBusy,
      },
    });
  }
}

async function fund(chain, senders, each) {
  const value = BigInt(each) * 120_000n * chain.gasPrice + 10n ** 15n;
  let nonce = await chain.nonceOf(chain.root.address);
  let last;
  for (const { address } of senders) {
    last = chain.sign({ nonce: nonce++, to: address, value });
    await chain.rpc("eth_sendRawTransaction", [last.raw]);
  }
  await chain.receipt(last.hash);
}

/** @returns signed transactions of each sender */
function transfers(chain, senders, each) {
  return senders.map(({ priv }, at) =>
    Array.from({ length: each }, (_, nonce) =>
      chain.sign({ nonce, to: recipient(at, nonce), value: 1n }, priv),
    ),
  );
}

async function tokenTransfers(chain, senders, each) {
  const to = await chain.token();
  for (let i = 0; i < senders.length; i += SENDERS_A_GIFT) {
    const part = senders.slice(i, i + SENDERS_A_GIFT);
    const addresses = part.map(({ address }) => word(BigInt(address)));
    const data = `0xc204642c${word(64)}${word(TOKENS_EACH)}${word(part.length)}${addresses.join("")}`;
    await chain.send({ to, gas: SENDERS_A_GIFT * 30_000 + 200_000, data });
  }
  return senders.map(({ priv }, at) =>
    Array.from({ length: each }, (_, nonce) => {
      const data = `0xa9059cbb${recipient(at, nonce).slice(2).padStart(64, "0")}${word(1)}`;
      return chain.sign({ nonce, gas: TOKEN_GAS, to, data }, priv);
    }),
  );
}

const recipient = (sender, i) =>
  `0x${Buffer.from(keccak(Buffer.from(`d${sender}:${i % RECIPIENTS}`)))
    .toString("hex")
    .slice(0, 40)}`;

/** A connection serves one sender after the other and sends one transaction at a time. */
async function sendAll(chain, lists, connections, timeoutMs) {
  const startedMs = performance.now();
  const latencies = [];
  const sent = { retries: 0, failed: 0, firstError: undefined };
  let next = 0;
  const sendOver = async () => {
    const connection = await open(chain.url);
    while (next < lists.length)
      for (const { raw } of lists[next++]) {
        const sentMs = performance.now();
        await sendOne(connection, raw, sent);
        latencies.push(performance.now() - sentMs);
      }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, sendOver));
  const sentSeconds = (performance.now() - startedMs) / 1000;
  const waited = await waitForLast(chain, lists, timeoutMs);
  latencies.sort((a, b) => a - b);
  return {
    ...{ ...sent, ...waited, sentSeconds, seconds: (performance.now() - startedMs) / 1000 },
    p50: +latencies[latencies.length >> 1].toFixed(2),
    p99: +latencies[Math.floor(latencies.length * 0.99)].toFixed(2),
  };
}

async function sendOne(connection, raw, sent) {
  for (let tries = 0; ; tries++) {
    const answer = await connection.post(requestText("eth_sendRawTransaction", [raw]));
    if (answer.subarray(0, 120).indexOf('"error"') < 0) return;
    const text = answer.toString("utf8", 0, 200);
    if (IS_THERE.test(text)) return;
    sent.firstError ??= text;
    if (tries > AGAIN.times) {
      sent.failed++;
      return;
    }
    sent.retries++;
    await pause(AGAIN.pauseMs);
  }
}

/** Waits for the receipt of each sender's last transaction. */
async function waitForLast(chain, lists, timeoutMs) {
  let open = lists.map((list) => list.at(-1).hash);
  let badStatus = 0;
  const end = performance.now() + timeoutMs;
  while (open.length > 0 && performance.now() < end) {
    const asked = open.slice(0, RECEIPTS_AT_ONCE);
    const calls = asked.map((hash, id) => ({
      jsonrpc: "2.0",
      id,
      method: "eth_getTransactionReceipt",
      params: [hash],
    }));
    const answers = JSON.parse((await (await chain.connection()).post(JSON.stringify(calls))).toString());
    const there = answers.filter(({ result }) => result);
    badStatus += there.filter(({ result }) => result.status !== "0x1").length;
    const done = new Set(there.map(({ id }) => asked[id]));
    open = open.filter((hash) => !done.has(hash));
    if (open.length > 0 && done.size === 0) await pause(10);
  }
  return { unfinished: open.length, badStatus };
}
