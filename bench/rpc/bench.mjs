#!/usr/bin/env node
// node bench.mjs <reads|ws|submit|evm|contracts|keystore|growth|all> --url http://127.0.0.1:8545 --key 0x.. [options]
import fs from "node:fs";
import { SELECTORS, WORK_RUNTIME } from "../evm/work.mjs";
import { benchKeystore } from "./keystore.mjs";
import { CONTRACTS, callingLoop, initCode, word } from "./lib/asm.mjs";
import { account, derived, keccak, signLegacy } from "./lib/eth.mjs";
import { load, open } from "./lib/http.mjs";
import { busy, load1, usage } from "./lib/proc.mjs";
import { TOKEN_INIT } from "./lib/token.mjs";
import { openWs } from "./lib/ws.mjs";

const argv = process.argv.slice(2);
const cmds = (argv.shift() || "all").split(",");
const opt = {
  secs: 2,
  // seconds of load before each measurement of reads: peers that compile while they run are measured as they go on
  warm: 1,
  conc: "1,32,256",
  n: 20000,
  tokens: 10000,
  senders: 400,
  conns: 32,
  "submit-batch": 1,
  gas: 100e6,
  "max-secs": 4,
  accounts: 100000,
  "spray-gas": 14e6,
  reps: 1,
  "scrypt-reps": 3,
  methods: "",
  contracts: "",
  timeout: 240,
  "block-count": 200,
  seed: "bench",
};
for (let i = 0; i < argv.length; i++) {
  const k = argv[i].replace(/^--/, "");
  const v = argv[i + 1] === undefined || argv[i + 1].startsWith("--") ? true : argv[++i];
  opt[k] = typeof opt[k] === "number" ? Number(v) : v;
}
const { url, ws, key } = opt;
const pid = opt.pid ? Number(opt.pid) : null;
if (!url) {
  console.error("need --url");
  process.exit(2);
}
const results = { label: opt.label || url, date: new Date().toISOString(), load1: load1(), results: [] };
const note = (r) => {
  results.results.push(r);
  if (opt.out) fs.writeFileSync(opt.out, JSON.stringify(results));
  console.log(JSON.stringify(r));
};
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
/** How long a loop of gas is called, milliseconds, and how often at most. */
const LOOP_MS = 2000;
const MOST_LOOPS = 100;
const timed = async (f) => {
  // wall + CPU of server and client
  busy();
  const s0 = pid ? usage(pid) : null,
    c0 = process.cpuUsage(),
    t0 = performance.now();
  const r = await f();
  const secs = (performance.now() - t0) / 1000;
  const c1 = process.cpuUsage(c0);
  const s1 = pid ? usage(pid) : null;
  return {
    ...r,
    wall: +secs.toFixed(3),
    serverCpu: pid ? +(s1.cpu - s0.cpu).toFixed(2) : null,
    clientCpu: +((c1.user + c1.system) / 1e6).toFixed(2),
    rssMiB: s1?.rssMiB ?? null,
    machineBusy: +(busy() ?? 0).toFixed(2),
  };
};
const body = (m, p = []) => JSON.stringify({ jsonrpc: "2.0", id: 1, method: m, params: p });
const c = await open(url);
const chainId = BigInt(await c.rpc("eth_chainId"));
const gasPrice = BigInt(await c.rpc("eth_gasPrice")) * 2n;
const root = key ? account(key) : null;
const nonceOf = async (a) => Number(await c.rpc("eth_getTransactionCount", [a, "pending"]));
async function receipt(hash, ms = opt.timeout * 1000, every = 20) {
  const end = performance.now() + ms;
  for (;;) {
    const r = await c.rpc("eth_getTransactionReceipt", [hash]).catch(() => null);
    if (r) return r;
    if (performance.now() > end) throw new Error(`no receipt for ${hash}`);
    await sleep(every);
  }
}
async function sendRoot(tx, wait = true) {
  const t = signLegacy({ gasPrice, chainId, nonce: await nonceOf(root.address), ...tx }, root.priv);
  const r = await c.rpc("eth_sendRawTransaction", [t.raw]).catch((e) => {
    throw new Error(e.message);
  });
  return wait ? receipt(r || t.hash) : r;
}
async function deploy(init, gas = 3_000_000) {
  const r = await sendRoot({ to: null, gas, data: init });
  if (r.status !== "0x1") throw new Error("deployment failed");
  return r.contractAddress;
}
let tokenAddr;
const token = async () => (tokenAddr ??= await deploy(TOKEN_INIT, 2_000_000));

async function readSet() {
  const t = root ? await token() : null;
  const set = {
    net_version: [body("net_version")],
    eth_blockNumber: [body("eth_blockNumber")],
    eth_getBalance: Array.from({ length: 256 }, (_, i) =>
      body("eth_getBalance", [
        i ? `0x${word(BigInt(i) * 7919n).slice(24)}` : (root?.address ?? `0x${word(1).slice(24)}`),
        "latest",
      ]),
    ),
  };
  if (t)
    set["eth_call balanceOf"] = Array.from({ length: 64 }, (_, i) =>
      body("eth_call", [
        { to: t, data: `0x70a08231${i ? word(i) : root.address.slice(2).padStart(64, "0")}` },
        "latest",
      ]),
    );
  if (opt.block) set.eth_getBlockByNumber_full = [body("eth_getBlockByNumber", [opt.block, true])];
  if (opt.methods)
    for (const k of Object.keys(set)) if (!opt.methods.split(",").some((m) => k.startsWith(m))) delete set[k];
  return set;
}
// makes one block with as many transfers as the node puts into it, returns its number
async function bigBlock(count = opt["block-count"]) {
  const nonce = await nonceOf(root.address);
  const txs = Array.from({ length: count }, (_, i) =>
    signLegacy(
      {
        nonce: nonce + i,
        gasPrice,
        chainId,
        gas: 21000,
        to: `0x${word((1n << 100n) + BigInt(i)).slice(24)}`,
        value: 1n,
      },
      root.priv,
    ),
  );
  for (const t of txs) await c.rpc("eth_sendRawTransaction", [t.raw]);
  const r = await receipt(txs.at(-1).hash, 30000);
  const counts = [];
  for (let b = Number(r.blockNumber), i = 0; b > 0 && i < 5; b--, i++)
    counts.push([
      b,
      (await c.rpc("eth_getBlockByNumber", [`0x${b.toString(16)}`, false])).transactions.length,
    ]);
  counts.sort((a, b) => b[1] - a[1]);
  return [`0x${counts[0][0].toString(16)}`, counts[0][1]];
}
/** Measures a contract that loops, called with growing numbers of rounds. */
async function measureLoop(name, at, first) {
  const call = async (n, gas) => {
    const t0 = performance.now();
    const out = await c.rpc("eth_call", [
      {
        from: root.address,
        to: at,
        gas: `0x${Math.floor(gas).toString(16)}`,
        gasPrice: "0x0",
        data: `0x${word(n)}`,
      },
      "latest",
    ]);
    return {
      ms: performance.now() - t0,
      gas: Number(BigInt(out.slice(0, 66))),
      acc: `0x${out.slice(66, 130)}`,
    };
  };
  let n = first,
    r;
  const gl = opt["gas-limit"] ? Number(opt["gas-limit"]) : opt.gas * 1.2;
  try {
    r = await call(n, Math.min(gl, 60e6));
    await call(n, Math.min(gl, 60e6));
    r = await call(n, Math.min(gl, 60e6));
    // grow to the wanted gas, but no further than max-secs allows
    for (let i = 0; i < 6 && r.gas < opt.gas * 0.9 && r.ms < opt["max-secs"] * 500; i++) {
      n = Math.floor(n * Math.min(opt.gas / r.gas, 8, Math.max(1.2, (opt["max-secs"] * 800) / r.ms)));
      r = await call(n, gl);
    }
    const runs = [];
    const t = await timed(async () => {
      // processor time is counted in hundredths of a second: short loops are called more often
      const until = performance.now() + LOOP_MS;
      while (runs.length < 3 || (performance.now() < until && runs.length < MOST_LOOPS))
        runs.push(await call(n, gl));
      return {};
    });
    runs.sort((a, b) => a.ms - b.ms);
    const m = runs[runs.length >> 1];
    note({
      kind: "evm",
      name,
      iterations: n,
      gas: m.gas,
      acc: m.acc,
      ms: +m.ms.toFixed(1),
      mgasPerS: +(m.gas / m.ms / 1000).toFixed(2),
      mgasPerServerCpu: t.serverCpu ? +((runs.length * m.gas) / t.serverCpu / 1e6).toFixed(2) : null,
      best: +(m.gas / runs[0].ms / 1000).toFixed(2),
      nsPerIteration: +((m.ms * 1e6) / n).toFixed(1),
      serverCpu: t.serverCpu,
      machineBusy: t.machineBusy,
    });
  } catch (e) {
    note({
      kind: "evm",
      name,
      iterations: n,
      error: e.message.slice(0, 160),
      lastOk: r && { gas: r.gas, ms: r.ms, mgasPerS: +(r.gas / r.ms / 1000).toFixed(2) },
    });
  }
}

/** Gives a contract more tokens than any loop moves. */
async function giveTokens(tokens, to) {
  const data = `0xa9059cbb${to.slice(2).padStart(64, "0")}${word(10 ** 15)}`;
  const r = await sendRoot({ to: tokens, gas: 200_000, data });
  if (r.status !== "0x1") throw new Error("the transfer of tokens failed");
}

const jobs = {
  async reads() {
    if (root && !opt.block) {
      const [b, n] = await bigBlock();
      opt.block = b;
      opt.blockTxs = n;
    }
    const set = await readSet();
    for (let rep = 0; rep < opt.reps; rep++)
      for (const [name, bodies] of Object.entries(set))
        for (const conns of String(opt.conc).split(",").map(Number)) {
          await load({ url, conns, durationMs: opt.warm * 1000, bodies });
          const r = await timed(() => load({ url, conns, durationMs: opt.secs * 1000, bodies }));
          note({
            kind: "read",
            transport: "http",
            name,
            conns,
            n: r.n,
            rps: Math.round(r.rps),
            rpsPerServerCpu: r.serverCpu ? Math.round(r.n / r.serverCpu) : null,
            p50: r.p50,
            p99: r.p99,
            errors: r.errors,
            firstError: r.firstError ?? undefined,
            bytes: r.bytesPerAnswer,
            blockTxs: (name.includes("Block") && opt.blockTxs) || undefined,
            serverCpu: r.serverCpu,
            clientCpu: r.clientCpu,
            wall: r.wall,
            machineBusy: r.machineBusy,
          });
        }
    // batches of 100
    for (const name of ["eth_blockNumber", "eth_getBalance", "eth_call balanceOf"]) {
      if (!set[name]) continue;
      const one = set[name].map(JSON.parse);
      const b = JSON.stringify(
        Array.from({ length: 100 }, (_, i) => ({ ...one[i % one.length], id: i + 1 })),
      );
      for (const conns of [1, 32]) {
        const r = await timed(() => load({ url, conns, durationMs: opt.secs * 1000, bodies: [b] }));
        note({
          kind: "read-batch100",
          transport: "http",
          name,
          conns,
          n: r.n * 100,
          rps: Math.round(r.rps * 100),
          rpsPerServerCpu: r.serverCpu ? Math.round((r.n * 100) / r.serverCpu) : null,
          p50: r.p50,
          p99: r.p99,
          errors: r.errors,
          firstError: r.firstError ?? undefined,
          bytes: r.bytesPerAnswer,
          serverCpu: r.serverCpu,
          clientCpu: r.clientCpu,
          wall: r.wall,
          machineBusy: r.machineBusy,
        });
      }
    }
  },
  async ws() {
    if (!ws) return;
    const set = await readSet();
    delete set.eth_getBlockByNumber_full;
    delete set.net_version;
    for (const [name, bodies] of Object.entries(set))
      for (const conns of [1, 32]) {
        const r = await timed(() =>
          load({ url: ws, conns, durationMs: opt.secs * 1000, bodies, opener: openWs }),
        );
        note({
          kind: "read",
          transport: "ws",
          name,
          conns,
          n: r.n,
          rps: Math.round(r.rps),
          rpsPerServerCpu: r.serverCpu ? Math.round(r.n / r.serverCpu) : null,
          p50: r.p50,
          p99: r.p99,
          errors: r.errors,
          firstError: r.firstError ?? undefined,
          serverCpu: r.serverCpu,
          clientCpu: r.clientCpu,
          wall: r.wall,
          machineBusy: r.machineBusy,
        });
      }
  },
  async submit() {
    for (const kind of (opt.kinds || "transfer,token").split(",")) {
      const total = kind === "transfer" ? opt.n : opt.tokens;
      if (!total) continue;
      const S = Math.min(opt.senders, total),
        per = Math.floor(total / S);
      const senders = Array.from({ length: S }, (_, i) => derived(`${opt.seed}-${kind}-${opt.run || 0}`, i));
      // fund
      let nonce = await nonceOf(root.address);
      let last;
      const fundWei = BigInt(per) * 120000n * gasPrice + 10n ** 15n;
      for (const s of senders) {
        const t = signLegacy(
          { nonce: nonce++, gasPrice, chainId, gas: 21000, to: s.address, value: fundWei },
          root.priv,
        );
        await c.rpc("eth_sendRawTransaction", [t.raw]);
        last = t.hash;
      }
      await receipt(last);
      let to = null,
        _data = "0x",
        gas = 21000;
      if (kind === "token") {
        to = await token();
        gas = 80000;
        for (let i = 0; i < S; i += 50) {
          const part = senders.slice(i, i + 50);
          const r = await sendRoot({
            to,
            gas: 50 * 30000 + 200000,
            data:
              "0x" +
              "c204642c" +
              word(64) +
              word(10n ** 18n) +
              word(part.length) +
              part.map((s) => word(BigInt(s.address))).join(""),
          });
          if (r.status !== "0x1") throw new Error("airdrop failed");
        }
      }
      const lists = senders.map((s, si) =>
        Array.from({ length: per }, (_, n) => {
          const dst = word(
            BigInt(
              "0x" +
                Buffer.from(keccak(Buffer.from(`d${si}:${n % 20}`)))
                  .toString("hex")
                  .slice(0, 40),
            ),
          ).slice(24);
          return kind === "token"
            ? signLegacy(
                {
                  nonce: n,
                  gasPrice,
                  chainId,
                  gas,
                  to,
                  data: `0xa9059cbb${dst.padStart(64, "0")}${word(1)}`,
                },
                s.priv,
              )
            : signLegacy({ nonce: n, gasPrice, chainId, gas, to: `0x${dst}`, value: 1n }, s.priv);
        }),
      );
      const N = S * per;
      let retries = 0;
      const bs = opt["submit-batch"];
      const r = await timed(async () => {
        const t0 = performance.now();
        let nextSender = 0;
        const lat = [];
        let failed = 0,
          firstError;
        await Promise.all(
          Array.from({ length: opt.conns }, async () => {
            const k = await open(url);
            for (;;) {
              const si = nextSender++;
              if (si >= S) break;
              const l = lists[si];
              for (let i = 0; i < l.length; i += bs) {
                const a = performance.now();
                if (bs === 1) {
                  for (let tries = 0; ; tries++) {
                    const b = await k.post(body("eth_sendRawTransaction", [l[i].raw]));
                    if (b.subarray(0, 120).indexOf('"error"') < 0) break;
                    const msg = b.toString("utf8", 0, 200);
                    if (/known|already|nonce too low/i.test(msg)) break;
                    firstError ??= msg;
                    if (tries > 400) {
                      failed++;
                      break;
                    }
                    retries++;
                    await sleep(25);
                  }
                } else {
                  let pend = l.slice(i, i + bs);
                  for (let tries = 0; pend.length && tries < 400; tries++) {
                    const res = JSON.parse(
                      (
                        await k.post(
                          JSON.stringify(
                            pend.map((t, j) => ({
                              jsonrpc: "2.0",
                              id: j,
                              method: "eth_sendRawTransaction",
                              params: [t.raw],
                            })),
                          ),
                        )
                      ).toString(),
                    );
                    const bad = res.filter(
                      (x) => x.error && !/known|already|nonce too low/i.test(x.error.message),
                    );
                    if (bad.length) {
                      firstError ??= bad[0].error.message;
                      retries += bad.length;
                      await sleep(25);
                    }
                    pend = bad.map((x) => pend[x.id]);
                  }
                  failed += pend.length;
                }
                lat.push(performance.now() - a);
              }
            }
            k.close();
          }),
        );
        const tSub = (performance.now() - t0) / 1000;
        let misses = 0,
          open_ = lists.map((l) => l.at(-1).hash);
        const end = performance.now() + opt.timeout * 1000;
        let lastRec;
        while (open_.length && performance.now() < end) {
          const rs = JSON.parse(
            (
              await c.post(
                JSON.stringify(
                  open_.slice(0, 100).map((h, i) => ({
                    jsonrpc: "2.0",
                    id: i,
                    method: "eth_getTransactionReceipt",
                    params: [h],
                  })),
                ),
              )
            ).toString(),
          );
          const done = new Set(rs.filter((x) => x.result).map((x) => open_[x.id]));
          for (const x of rs) if (x.result) lastRec = x.result;
          if (rs.some((x) => x.result && x.result.status !== "0x1")) misses++;
          open_ = open_.filter((h) => !done.has(h));
          if (open_.length && !done.size) await sleep(10);
        }
        lat.sort((a, b) => a - b);
        return {
          tSub,
          tAll: (performance.now() - t0) / 1000,
          left: open_.length,
          failed,
          misses,
          firstError,
          p50: lat[lat.length >> 1],
          p99: lat[Math.floor(lat.length * 0.99)],
          gasUsed: lastRec?.gasUsed,
        };
      });
      note({
        kind: "submit",
        name: kind,
        n: N,
        senders: S,
        conns: opt.conns,
        batch: bs,
        submitPerS: Math.round(N / r.tSub),
        tps: Math.round(N / r.tAll),
        tpsPerServerCpu: r.serverCpu ? Math.round(N / r.serverCpu) : null,
        submitP50: +r.p50.toFixed(2),
        submitP99: +r.p99.toFixed(2),
        sendersUnfinished: r.left,
        failed: r.failed,
        badStatus: r.misses,
        retries,
        firstError: r.firstError,
        gasPerTx: r.gasUsed,
        serverCpu: r.serverCpu,
        clientCpu: r.clientCpu,
        wall: r.wall,
        rssMiB: r.rssMiB,
        machineBusy: r.machineBusy,
      });
    }
  },
  async evm() {
    for (const [name, code] of Object.entries(CONTRACTS)) {
      if (["spray", "logs"].includes(name) || (opt.contracts && !opt.contracts.split(",").includes(name)))
        continue;
      // storage touches 1024 slots first, so start with enough rounds to leave that behind
      await measureLoop(name, await deploy(initCode(code)), name === "storage" ? 4096 : 2000);
    }
  },
  // Solidity behind CALL: tokens moved, a bubble sort and a ray marcher of 60 items
  async contracts() {
    const tokens = await token();
    const erc20 = await deploy(
      initCode(callingLoop(tokens, "a9059cbb", "DUP2 0x3ff AND 0x10000 ADD 4 MSTORE 1 36 MSTORE", 68)),
    );
    await giveTokens(tokens, erc20);
    await measureLoop("erc20", erc20, 100);
    const work = await deploy(initCode(WORK_RUNTIME), 6_000_000);
    for (const [name, selector] of Object.entries(SELECTORS))
      await measureLoop(name, await deploy(initCode(callingLoop(work, selector, "60 4 MSTORE", 36))), 2);
  },
  keystore: () =>
    benchKeystore({
      ...{ url, timed, note, body },
      call: (method, params) => c.rpc(method, params),
      options: { reps: opt["scrypt-reps"], secs: opt.secs },
    }),
  async growth() {
    const at = await deploy(initCode(CONTRACTS.spray));
    const per = Math.floor((opt["spray-gas"] - 100000) / 34800);
    await sendRoot({ to: at, gas: 60000, value: 10n ** 12n }).catch(() => {});
    const base = 1n << 150n;
    let made = Number(opt.made || 0);
    const marks = [1000, 10000, 100000, 1000000].filter((x) => x <= opt.accounts);
    const probe = async () => {
      const bodies = Array.from({ length: 512 }, () =>
        body("eth_getBalance", [
          "0x" +
            (base + BigInt(Math.floor(Math.random() * Math.max(1, made)))).toString(16).padStart(40, "0"),
          "latest",
        ]),
      );
      const g = await timed(() => load({ url, conns: 8, durationMs: opt.secs * 1000, bodies }));
      const nonce = await nonceOf(root.address);
      const T = 300;
      const txs = Array.from({ length: T }, (_, i) =>
        signLegacy(
          {
            nonce: nonce + i,
            gasPrice,
            chainId,
            gas: 21000,
            to:
              "0x" +
              (base + BigInt(Math.floor(Math.random() * Math.max(1, made)))).toString(16).padStart(40, "0"),
            value: 1n,
          },
          root.priv,
        ),
      );
      const s = await timed(async () => {
        for (const t of txs) await c.rpc("eth_sendRawTransaction", [t.raw]);
        await receipt(txs.at(-1).hash, undefined, 5);
        return {};
      });
      note({
        kind: "growth",
        accounts: made,
        getBalanceRps: Math.round(g.rps),
        getBalancePerServerCpu: g.serverCpu ? Math.round(g.n / g.serverCpu) : null,
        p50: g.p50,
        p99: g.p99,
        transferMsEach: +((s.wall * 1000) / T).toFixed(2),
        transferServerCpuMs: s.serverCpu != null ? +((s.serverCpu * 1000) / T).toFixed(3) : null,
        rssMiB: s.rssMiB,
        machineBusy: s.machineBusy,
      });
    };
    await probe();
    const t0 = performance.now();
    for (const m of marks) {
      while (made < m) {
        let nonce = await nonceOf(root.address),
          last;
        const k = Math.min(8, Math.ceil((m - made) / per));
        for (let i = 0; i < k; i++) {
          const n = Math.min(per, m - made);
          const t = signLegacy(
            {
              nonce: nonce++,
              gasPrice,
              chainId,
              gas: opt["spray-gas"],
              to: at,
              value: BigInt(n),
              data: `0x${word(n)}${word(base + BigInt(made))}`,
            },
            root.priv,
          );
          last = await c.rpc("eth_sendRawTransaction", [t.raw]);
          made += n;
        }
        const r = await receipt(last);
        if (r.status !== "0x1") throw new Error(`spray failed: gasUsed ${r.gasUsed}`);
        if ((performance.now() - t0) / 1000 > opt.timeout) {
          note({
            kind: "growth",
            accounts: made,
            stopped: `time limit while going to ${m}`,
            secs: Math.round((performance.now() - t0) / 1000),
          });
          return;
        }
      }
      const b = await c.rpc("eth_getBalance", [
        `0x${(base + BigInt(m - 1)).toString(16).padStart(40, "0")}`,
        "latest",
      ]);
      if (BigInt(b) === 0n) throw new Error("account missing");
      note({ kind: "growth-fill", accounts: m, secsSoFar: +((performance.now() - t0) / 1000).toFixed(1) });
      await probe();
    }
  },
};
const run = cmds[0] === "all" ? ["reads", "ws", "submit", "evm", "keystore", "growth"] : cmds;
for (const j of run) {
  try {
    await jobs[j]();
  } catch (e) {
    note({ kind: j, error: String(e.message || e).slice(0, 300) });
  }
}
c.close();
process.exit(0);
