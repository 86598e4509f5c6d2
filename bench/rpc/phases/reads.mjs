// Small reads, a contract's view function and a whole block, over HTTP and WebSocket, one by one and in batches.
import { requestText } from "../chain.mjs";
import { word } from "../lib/asm.mjs";
import { load } from "../lib/http.mjs";
import { openWs } from "../lib/ws.mjs";
import { perCpu } from "../meter.mjs";

const BATCH = 100;
const BATCHED = ["eth_blockNumber", "eth_getBalance", "eth_call balanceOf"];
const addressOf = (i) => `0x${word(BigInt(i)).slice(24)}`;

export async function reads(bench) {
  const { options, chain } = bench;
  const bodies = await readBodies(chain);
  const block = chain.root && (await blockOfTransfers(chain, options["block-count"]));
  if (block) bodies["eth_getBlockByNumber full"] = [requestText("eth_getBlockByNumber", [block, true])];
  for (const [name, texts] of Object.entries(bodies))
    for (const conns of String(options.conc).split(",").map(Number)) {
      await load({ url: chain.url, conns, durationMs: options.warm * 1000, bodies: texts });
      await measure(bench, { kind: "read", transport: "http", name, conns, bodies: texts, url: chain.url });
    }
  for (const name of BATCHED) {
    if (bodies[name] === undefined) continue;
    const calls = bodies[name].map(JSON.parse);
    const batch = Array.from({ length: BATCH }, (_, i) => ({ ...calls[i % calls.length], id: i + 1 }));
    for (const conns of [1, 32])
      await measure(bench, {
        ...{ kind: "read-batch100", transport: "http", name, conns, url: chain.url },
        ...{ bodies: [JSON.stringify(batch)], callsEach: BATCH },
      });
  }
}

export async function webSocketReads(bench) {
  const { options, chain } = bench;
  if (!options.ws) return;
  const { net_version: _, ...bodies } = await readBodies(chain);
  for (const [name, texts] of Object.entries(bodies))
    for (const conns of [1, 32])
      await measure(bench, {
        ...{ kind: "read", transport: "ws", name, conns, url: options.ws },
        ...{ bodies: texts, opener: openWs },
      });
}

async function measure({ options, note, timed }, { bodies, url, opener, callsEach = 1, ...record }) {
  const { conns } = record;
  const r = await timed(() => load({ url, conns, durationMs: options.secs * 1000, bodies, opener }));
  const { p50, p99, errors, firstError, serverCpu, clientCpu, wall, machineBusy } = r;
  note({
    ...record,
    n: r.n * callsEach,
    rps: Math.round(r.rps * callsEach),
    rpsPerServerCpu: perCpu(r.n * callsEach, serverCpu),
    ...{ p50, p99, errors, firstError: firstError ?? undefined, bytes: r.bytesPerAnswer },
    ...{ serverCpu, clientCpu, wall, machineBusy },
  });
}

/** Texts of requests by name of row. */
async function readBodies(chain) {
  const own = chain.root?.address ?? addressOf(1);
  const bodies = {
    net_version: [requestText("net_version")],
    eth_blockNumber: [requestText("eth_blockNumber")],
    eth_getBalance: Array.from({ length: 256 }, (_, i) =>
      requestText("eth_getBalance", [i ? addressOf(i * 7919) : own, "latest"]),
    ),
  };
  if (chain.root === undefined) return bodies;
  const to = await chain.token();
  const balanceOf = (i) => `0x70a08231${i ? word(i) : own.slice(2).padStart(64, "0")}`;
  bodies["eth_call balanceOf"] = Array.from({ length: 64 }, (_, i) =>
    requestText("eth_call", [{ to, data: balanceOf(i) }, "latest"]),
  );
  return bodies;
}

/** Creates a block with as many transfers as the node includes. @returns its number */
async function blockOfTransfers(chain, count) {
  const first = await chain.nonceOf(chain.root.address);
  const transfers = Array.from({ length: count }, (_, i) =>
    chain.sign({ nonce: first + i, to: `0x${word((1n << 100n) + BigInt(i)).slice(24)}`, value: 1n }),
  );
  for (const { raw } of transfers) await chain.rpc("eth_sendRawTransaction", [raw]);
  const { blockNumber } = await chain.receipt(transfers.at(-1).hash);
  let max = { count: -1 };
  for (let number = Number(blockNumber); number > 0 && number > Number(blockNumber) - 5; number--) {
    const hex = `0x${number.toString(16)}`;
    const { transactions } = await chain.rpc("eth_getBlockByNumber", [hex, false]);
    if (transactions.length > max.count) max = { count: transactions.length, hex };
  }
  return max.hex;
}
