// The keystore phase: the cost of passphrases, their effect on other callers, signatures with an unlocked key.
import { requestText } from "../chain.mjs";
import { load, open } from "../lib/http.mjs";
import { perCpu } from "../meter.mjs";

/** Milliseconds between two calls of the observed caller while keys are made. */
const PACE_MS = 10;
/** Load before signatures are counted: on a busy machine a second is too little to compile their code. */
const WARM_MS = 6000;
/** How long that caller is watched while no keys are made. */
const ALONE_MS = 4000;
const MESSAGE = "0x68656c6c6f";

export async function keystore({ options, chain, note, timed }) {
  const { url } = chain;
  const address = await chain.rpc("personal_newAccount", ["pw"]).catch((error) => {
    note({ kind: "keystore", error: error.message.slice(0, 120) });
  });
  if (address !== undefined) {
    for (const [method, params] of [
      ["personal_newAccount", ["pw"]],
      ["personal_sign", [MESSAGE, address, "pw"]],
      ["personal_unlockAccount", [address, "pw", 0]],
    ]) {
      note(await latency(method, () => chain.rpc(method, params), options["scrypt-reps"], timed));
    }
  }
  const signer = address ?? (await chain.rpc("eth_accounts"))[0];
  for (const conns of [1, 32]) {
    const bodies = [requestText("eth_sign", [signer, MESSAGE])];
    await load({ url, conns, durationMs: WARM_MS, bodies });
    const r = await timed(() => load({ url, conns, durationMs: options.secs * 1000, bodies }));
    note({
      kind: "keystore",
      name: `eth_sign, unlocked, ${conns} conn`,
      rps: Math.round(r.rps),
      perServerCpu: perCpu(r.n, r.serverCpu),
      p50Ms: r.p50,
      p99Ms: r.p99,
      errors: r.errors,
      firstError: r.firstError ?? undefined,
      machineBusy: r.machineBusy,
    });
  }
  if (address === undefined) return;
  // Last, as the Go node ends calls that take longer than 30 s but continues deriving for them.
  note(await atOnce(4, url, timed).catch(failureOf("4 personal_newAccount at once")));
}

function failureOf(name) {
  return (error) => ({ kind: "keystore", name, error: error.message.slice(0, 120) });
}

async function latency(name, run, n, timed) {
  const took = [];
  const { serverCpu, machineBusy } = await timed(async () => {
    for (let i = 0; i < n; i++) {
      const start = performance.now();
      await run();
      took.push(performance.now() - start);
    }
  });
  took.sort((a, b) => a - b);
  return { kind: "keystore", name, p50Ms: took[n >> 1], cpuSeconds: serverCpu / n, machineBusy };
}

/** Creates several accounts concurrently, and measures the effect on a caller that polls the block number meanwhile. */
async function atOnce(count, url, timed) {
  const made = async () => {
    const connection = await open(url);
    await connection.rpc("personal_newAccount", ["pw"]);
    connection.close();
  };
  const alone = await watched(url, () => new Promise((resolve) => setTimeout(resolve, ALONE_MS)));
  let result;
  const meanwhile = await watched(url, async () => {
    result = await timed(() => Promise.all(Array.from({ length: count }, made)));
  });
  return {
    kind: "keystore",
    name: `${count} personal_newAccount at once`,
    wallMs: result.wall * 1000,
    cpuSeconds: result.serverCpu / count,
    rssMiB: result.rssMiB,
    othersP99Ms: meanwhile,
    aloneP99Ms: alone,
    machineBusy: result.machineBusy,
  };
}

/** Polls the block number at an even pace while work is in progress. @returns the 99th percentile in milliseconds */
async function watched(url, work) {
  const connection = await open(url);
  const request = requestText("eth_blockNumber");
  const took = [];
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      const start = performance.now();
      await connection.post(request);
      took.push(performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, PACE_MS));
    }
  })();
  try {
    await work();
  } finally {
    isDone = true;
    await watching.finally(() => connection.close());
  }
  return took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)];
}
