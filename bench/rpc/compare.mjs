#!/usr/bin/env node
// Interleaved comparison of several nodes: node compare.mjs peers.json --rounds 3 --out results.json [--only a,b] [--phases startup,reads,...]
// For every round each node is started fresh, measured and stopped, so that drift of the machine hits all alike.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { load1, tree, usage } from "./lib/proc.mjs";

const a = process.argv.slice(2);
const cfg = JSON.parse(fs.readFileSync(a.shift(), "utf8"));
const o = { rounds: "3", out: "results.json", phases: "startup,reads,ws,submit,evm,keystore,growth" };
for (let i = 0; i < a.length; i += 2) o[a[i].slice(2)] = a[i + 1];
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const phases = o.phases.split(",");
const here = path.dirname(new URL(import.meta.url).pathname);
const all = fs.existsSync(o.out) ? JSON.parse(fs.readFileSync(o.out)) : [];
const agent = new http.Agent({ keepAlive: false });
const ask = (url) =>
  new Promise((res) => {
    const q = http.request(
      url,
      { method: "POST", agent, headers: { "content-type": "application/json" }, timeout: 2000 },
      (r) => {
        let s = "";
        r.on("data", (d) => (s += d));
        r.on("end", () => res(s.includes('"result"')));
      },
    );
    q.on("error", () => res(false));
    q.on("timeout", () => {
      q.destroy();
      res(false);
    });
    q.end('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}');
  });
async function start(p) {
  const sh = (s) => {
    if (s) spawnSync("bash", ["-c", s], { stdio: "ignore" });
  };
  sh(p.reset);
  const t00 = performance.now();
  sh(p.init);
  const initMs = performance.now() - t00;
  const t0 = performance.now();
  const child = spawn(p.cmd[0], p.cmd.slice(1), {
    cwd: p.cwd,
    env: { ...process.env, ...p.env },
    stdio: "ignore",
    detached: true,
  });
  for (;;) {
    if (await ask(p.url)) break;
    if (performance.now() - t0 > 60000) throw new Error(`${p.name} did not start`);
    await sleep(4);
  }
  return {
    child,
    startMs: Math.round(performance.now() - t0),
    initMs: p.init ? Math.round(initMs) : 0,
    cpu: usage(child.pid).cpu,
  };
}
async function stop(child) {
  const ps = tree(child.pid);
  for (const s of ["SIGTERM", "SIGKILL"]) {
    for (const q of ps)
      try {
        process.kill(q, s);
      } catch {}
    await sleep(700);
  }
}
const save = () => fs.writeFileSync(o.out, JSON.stringify(all));
for (let round = 0; round < +o.rounds; round++)
  for (const p of cfg) {
    if (o.only && !o.only.split(",").includes(p.name)) continue;
    try {
      if (phases.includes("startup"))
        for (let k = 0; k < 2; k++) {
          const s = await start(p);
          await sleep(2500);
          const u = usage(s.child.pid);
          all.push({
            peer: p.name,
            round,
            kind: "startup",
            startMs: s.startMs,
            initMs: s.initMs,
            startCpu: s.cpu,
            idleRssMiB: u.rssMiB,
            load1: load1(),
          });
          save();
          await stop(s.child);
        }
      const rest = phases.filter((x) => x !== "startup" && !(p.skip || []).includes(x));
      if (!rest.length) continue;
      const s = await start(p);
      const tmp = `${o.out}.tmp`;
      for (const ph of rest) {
        const args = [
          `${here}/bench.mjs`,
          ph,
          "--url",
          p.url,
          "--key",
          p.key ?? "",
          "--pid",
          String(s.child.pid),
          "--out",
          tmp,
          "--run",
          String(round) + Date.now(),
          ...(p.ws ? ["--ws", p.ws] : []),
          ...(p.args?.[ph] || []),
          ...(o[`args-${ph}`] || "").split(" ").filter(Boolean),
        ];
        try {
          fs.unlinkSync(tmp);
        } catch {}
        const t0 = Date.now();
        spawnSync("node", args, { stdio: ["ignore", "ignore", "inherit"], timeout: 280000 });
        try {
          for (const r of JSON.parse(fs.readFileSync(tmp)).results)
            all.push({ peer: p.name, round, phase: ph, ...r });
        } catch (_e) {
          all.push({ peer: p.name, round, phase: ph, error: "no output" });
        }
        save();
        console.error(
          new Date().toISOString().slice(11, 19),
          p.name,
          ph,
          "round",
          round,
          `${((Date.now() - t0) / 1000).toFixed(1)}s`,
        );
      }
      await stop(s.child);
    } catch (e) {
      all.push({ peer: p.name, round, error: String(e) });
      save();
      console.error(p.name, String(e));
    }
  }
process.exit(0);
