import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rpcCall, until } from "../../../e2e/json-rpc.ts";
import { type StartedNode, startNode, temporaryFolder } from "../../../e2e/started-node.ts";
import { type HostileRow, hold } from "../row.ts";
import { KilledNode } from "./killed-node.ts";

const KAIRN = fileURLToPath(new URL("../../../../bin/kairn", import.meta.url));

/** Until the state file, written each 200 ms, has a change: patient with machines that others keep busy. */
const FOLLOWED_MS = 2000;

/** Stops a node by a signal. @returns its exit code and the time in milliseconds */
async function endedBy(node: StartedNode, ...signals: NodeJS.Signals[]) {
  const began = performance.now();
  for (const signal of signals) node.child.kill(signal);
  const code = await node.exited;
  return { code, ms: Math.round(performance.now() - began) };
}

/** How much longer a node may take to stop while deriving keys than when idle: a derivation takes a second of CPU. */
const DERIVING_MS = 1000;

/** Stops a node with twenty pending key derivations. @returns as `endedBy` */
async function endedWhileDeriving(signal: NodeJS.Signals) {
  const node = await startNode();
  try {
    const { http } = node.endpoints;
    for (let i = 0; i < 20; i++)
      void rpcCall(http, "personal_newAccount", "a long passphrase").catch(() => {});
    await until(
      () => rpcCall(http, "eth_blockNumber"),
      (number) => number === "0x0",
    );
    const { code, ms } = await endedBy(node, signal);
    hold(code === 0, `${signal} ended it with ${code}: ${node.printed.stderr}`);
    const folder = join(node.dataDir, "keystore");
    const halves = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith("UTC--")) : [];
    hold(halves.length === 0, `${signal} left ${halves.join(", ")}`);
    return ms;
  } finally {
    await node.stop();
  }
}

async function endedIdle(...signals: NodeJS.Signals[]) {
  const node = await startNode();
  return endedBy(node, ...signals).finally(() => node.stop());
}

/** SIGTERM, SIGHUP and SIGINT stop a busy node cleanly; a second signal stops it at once. */
export const signals: HostileRow = {
  id: "R2",
  promise:
    "SIGTERM, SIGHUP and SIGINT stop a node that derives keys as fast as an idle one; a second signal at once",
  async run() {
    const took: string[] = [];
    for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) {
      const ms = await endedWhileDeriving(signal);
      const idle = await endedIdle(signal);
      const max = 2 * idle.ms + DERIVING_MS;
      hold(ms < max, `${signal} took ${ms} ms, ${max} at most`);
      took.push(`${signal} ${ms} ms (at rest ${idle.ms})`);
    }
    const { code, ms } = await endedIdle("SIGTERM", "SIGTERM");
    hold(code === 130 || code === 0, `two signals ended it with ${code}`);
    return `${took.join(", ")} with 20 key derivations asked for; two signals ${ms} ms`;
  },
};

/** A closed log pipe, and the state file of a chain in memory. */
export const closedOutput: HostileRow = {
  id: "P21a",
  promise: "a closed log pipe does not stop a node; a killed chain in memory leaves its state file",
  async run() {
    const folder = temporaryFolder();
    const state = join(folder, "state");
    const flags = ["--rpcport", "0", "--wsport", "0", "--verbosity", "5", "--json"];
    const args = [KAIRN, "dev", ...flags, "--state", state, "--state-interval", "200ms"];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    try {
      const [line] = (await once(child.stdout, "data")) as [Buffer];
      const { http } = JSON.parse(line.toString()).endpoints;
      child.stdout.destroy();
      child.stderr.destroy();
      for (let i = 0; i < 20; i++) await rpcCall(http, "evm_mine");
      await rpcCall(http, "anvil_setBalance", `0x${"77".repeat(20)}`, "0x7");
      hold(child.exitCode === null, `it ended with ${child.exitCode}`);
      await until(async () => existsSync(state), Boolean);
      const before = statSync(state).mtimeMs;
      const began = performance.now();
      await rpcCall(http, "anvil_setBalance", `0x${"77".repeat(20)}`, "0x8");
      await until(
        async () => statSync(state).mtimeMs,
        (now) => now > before,
      );
      const ms = Math.round(performance.now() - began);
      hold(ms < FOLLOWED_MS, `the state file followed after ${ms} ms`);
      return `20 blocks after both pipes were closed; the state file followed within ${ms} ms`;
    } finally {
      child.kill("SIGKILL");
      await once(child, "exit");
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** A suspended process continues. */
export function standstill(id: string, seconds: number, isLong: boolean): HostileRow {
  return {
    id,
    promise: `a node suspended for ${seconds} s continues within 2 s, with increasing block times`,
    isLong,
    async run() {
      const killed = new KilledNode("--block-time", "200ms");
      try {
        await killed.start();
        killed.node.child.kill("SIGSTOP");
        await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
        const began = performance.now();
        killed.node.child.kill("SIGCONT");
        const head = Number(await killed.call("eth_blockNumber"));
        await until(
          () => killed.call("eth_blockNumber"),
          (number) => Number(number) > head + 3,
        );
        const ms = Math.round(performance.now() - began);
        hold(ms < 2000, `the fourth block came after ${ms} ms`);
        let last = 0;
        for (let number = 1; number <= head + 3; number++) {
          const { timestamp } = await killed.call("eth_getBlockByNumber", `0x${number.toString(16)}`, false);
          hold(Number(timestamp) > last, `the time of block ${number} went back`);
          last = Number(timestamp);
        }
        return `the fourth block ${ms} ms after SIGCONT`;
      } finally {
        await killed.end();
      }
    },
  };
}

/** A crash gives an exit code, and a crash file without secrets. */
export const crash: HostileRow = {
  id: "R11",
  promise: "a crash stops the process with exit code 70 and a crash file without secrets",
  async run() {
    const folder = temporaryFolder();
    const secret = "ab".repeat(32);
    const defect = join(fileURLToPath(new URL(".", import.meta.url)), "defect.cjs");
    const flags = ["dev", "--datadir", folder, "--rpcport", "0", "--wsport", "0", "--json"];
    try {
      for (const kind of ["throw", "reject"]) {
        const child = spawn(process.execPath, ["--require", defect, KAIRN, ...flags], {
          stdio: ["ignore", "ignore", "pipe"],
          env: { ...process.env, KAIRN_TEST_DEFECT: kind, KAIRN_TEST_SECRET: secret },
        });
        const [code] = (await once(child, "exit")) as [number];
        hold(code === 70, `exit code ${code} after ${kind}`);
      }
      const files = readdirSync(folder).filter((name) => name.startsWith("crash-"));
      hold(files.length === 2, `${files.length} crash files`);
      for (const name of files) {
        const path = join(folder, name);
        hold((statSync(path).mode & 0o777) === 0o600, "others can read the crash file");
        const text = readFileSync(path, "utf8");
        hold(!text.includes(secret), "the crash file has the secret");
        hold(text.includes("defect.cjs"), "the crash file has no stack");
      }
      return "uncaught exception and rejection: exit 70, 2 files (0600), 0 secrets";
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
