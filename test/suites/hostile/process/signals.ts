import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { rpcCall, until } from "../../../e2e/json-rpc.ts";
import { startKairn } from "../../../e2e/kairn-process.ts";
import { childrenOf } from "../../../e2e/process-tree.ts";
import { type StartedNode, startNode, temporaryFolder } from "../../../e2e/started-node.ts";
import { type HostileRow, hold } from "../row.ts";
import { KilledNode } from "./killed-node.ts";

const KAIRN = fileURLToPath(new URL("../../../../bin/kairn", import.meta.url));

const DERIVATIONS = 20;
/** State file interval of the in-memory chain. */
const INTERVAL = "200ms";
/** Blocks awaited after a standstill. */
const BLOCKS = 4;
const RICH = `0x${"77".repeat(20)}`;

/** Stops a node by signals. @returns its exit code */
function endedBy({ child, exited }: StartedNode, ...signals: NodeJS.Signals[]): Promise<number | null> {
  for (const signal of signals) child.kill(signal);
  return exited;
}

/**
 * Stops a node with twenty pending key derivations, of which the running one is suspended: a node that waits for it never stops by
 * itself, and exits with a failure when its time to stop is over.
 */
async function endedWhileDeriving(signal: NodeJS.Signals): Promise<void> {
  const node = await startNode();
  const pid = node.child.pid as number;
  try {
    const { http } = node.endpoints;
    for (let i = 0; i < DERIVATIONS; i++)
      void rpcCall(http, "personal_newAccount", "a long passphrase").catch(() => {});
    const suspended = await until(
      async () => childrenOf(pid, "derive-key").filter((child) => process.kill(child, "SIGSTOP")),
      (children) => children.length > 0,
    );
    const keys = keyFiles(node).length;
    const code = await endedBy(node, signal);
    hold(code === 0, `${signal} ended it with ${code}: ${node.printed.stderr}`);
    const left = suspended.filter((child) => existsSync(`/proc/${child}/cmdline`));
    hold(left.length === 0, `${signal} left processes ${left.join(", ")}`);
    const files = keyFiles(node);
    const drafts = files.filter((name) => !name.startsWith("UTC--"));
    hold(drafts.length === 0, `${signal} left ${drafts.join(", ")}`);
    hold(files.length === keys, `${files.length - keys} keys were made after ${signal}`);
  } finally {
    await node.stop();
  }
}

function keyFiles({ dataDir }: StartedNode): string[] {
  const folder = join(dataDir, "keystore");
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** SIGTERM, SIGHUP and SIGINT stop a busy node cleanly; so does a second signal. */
export const signals: HostileRow = {
  id: "R2",
  promise:
    "SIGTERM, SIGHUP and SIGINT stop a node without waiting for its key derivations; a second signal ends it",
  async run() {
    const all = ["SIGTERM", "SIGHUP", "SIGINT"] as const;
    for (const signal of all) await endedWhileDeriving(signal);
    const node = await startNode();
    const code = await endedBy(node, "SIGTERM", "SIGTERM").finally(() => node.stop());
    hold(code === 130 || code === 0, `two signals ended it with ${code}`);
    return `${all.join(", ")}: exit code 0 beside ${DERIVATIONS} key derivations, one of them suspended; two signals ${code}`;
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
    const args = [KAIRN, "dev", ...flags, "--state", state, "--state-interval", INTERVAL];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    try {
      const [line] = (await once(child.stdout, "data")) as [Buffer];
      const { http } = JSON.parse(line.toString()).endpoints;
      child.stdout.destroy();
      child.stderr.destroy();
      for (let i = 0; i < 20; i++) await rpcCall(http, "evm_mine");
      hold(child.exitCode === null, `it ended with ${child.exitCode}`);
      await rpcCall(http, "anvil_setBalance", RICH, "0x7");
      await until(
        async () => balanceIn(state),
        (balance) => balance === "0x7",
      );
      child.kill("SIGKILL");
      await once(child, "exit");
      const balance = await balanceAfterStart(state);
      hold(balance === "0x7", `a node started from the state file has a balance of ${balance}`);
      return "20 blocks after both pipes were closed; the state file followed the last change, and another node starts from it";
    } finally {
      if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL"))
        await once(child, "exit");
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** A balance in a state file; undefined without the file or the account. */
function balanceIn(state: string): string | undefined {
  if (!existsSync(state)) return undefined;
  return JSON.parse(gunzipSync(readFileSync(state)).toString()).accounts[RICH]?.balance;
}

/** A balance on a node started from a state file. */
async function balanceAfterStart(state: string): Promise<string> {
  const node = startKairn(["dev", "--rpcport", "0", "--wsport", "0", "--json", "--state", state]);
  try {
    const { http } = JSON.parse(await node.firstLine()).endpoints;
    return await rpcCall(http, "eth_getBalance", RICH, "latest");
  } finally {
    node.child.kill("SIGKILL");
    await node.exited;
  }
}

/** A suspended process continues. */
export function standstill(id: string, seconds: number, isLong: boolean): HostileRow {
  return {
    id,
    promise: `a node suspended for ${seconds} s continues, with increasing block times`,
    isLong,
    async run() {
      const killed = new KilledNode("--block-time", "200ms");
      try {
        await killed.start();
        killed.node.child.kill("SIGSTOP");
        await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
        killed.node.child.kill("SIGCONT");
        const head = Number(await killed.call("eth_blockNumber"));
        await until(
          () => killed.call("eth_blockNumber"),
          (number) => Number(number) >= head + BLOCKS,
        );
        let last = 0;
        for (let number = 1; number <= head + BLOCKS; number++) {
          const { timestamp } = await killed.call("eth_getBlockByNumber", `0x${number.toString(16)}`, false);
          hold(Number(timestamp) > last, `the time of block ${number} went back`);
          last = Number(timestamp);
        }
        return `${BLOCKS} blocks after SIGCONT, the times of all ${head + BLOCKS} increase`;
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
