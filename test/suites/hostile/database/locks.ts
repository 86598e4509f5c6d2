import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type KairnProcess, startKairn } from "../../../e2e/kairn-process.ts";
import { hold, Skipped } from "../row.ts";

const program = fileURLToPath(new URL("../../../../bin/kairn", import.meta.url));
const dev = (folder: string) => [
  "dev",
  "--datadir",
  folder,
  "--rpcport",
  "0",
  "--wsport",
  "0",
  "--ipcdisable",
];

async function started(folder: string): Promise<KairnProcess> {
  const node = startKairn(dev(folder));
  await node.firstLine();
  return node;
}

async function killed({ child, exited }: KairnProcess): Promise<void> {
  child.kill("SIGKILL");
  await exited;
}

/** Starts a second node beside a first, also in a separate process namespace, and others after it was killed. */
export async function lockOut(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "kairn-lock-"));
  const copy = `${folder}-copy`;
  const nodes: KairnProcess[] = [];
  const start = async (path: string): Promise<KairnProcess> => {
    const node = await started(path);
    nodes.push(node);
    return node;
  };
  try {
    const first = await start(folder);
    const began = performance.now();
    const second = startKairn(dev(folder));
    hold((await second.exited) !== 0, "a second node runs in the same folder");
    const ms = Math.round(performance.now() - began);
    hold(second.printed.stderr.includes("used by another process"), second.printed.stderr);
    first.child.kill("SIGSTOP");
    const third = startKairn(dev(folder));
    hold((await third.exited) !== 0, "a node runs in the folder of one that is stopped");
    first.child.kill("SIGCONT");
    execFileSync("cp", ["-r", folder, copy]);
    await killed(await start(copy));
    await killed(first);
    await killed(await start(folder));
    return `second refused in ${ms} ms with its start, beside a stopped one too; copy and killed one's folder open`;
  } finally {
    for (const node of nodes) if (node.child.exitCode === null) await killed(node);
    for (const path of [folder, copy]) rmSync(path, { recursive: true, force: true });
  }
}

/** Starts a second node that cannot see the first one's process, as in a container on the same volume. */
export async function lockOutOfNamespace(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "kairn-lock-"));
  const node = await started(folder);
  try {
    return await refusedInNamespace(folder);
  } finally {
    await killed(node);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function refusedInNamespace(folder: string): Promise<string> {
  const args = ["--pid", "--fork", "--net", "--mount-proc", process.execPath, program, ...dev(folder)];
  const child = spawn("unshare", args, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  child.on("error", () => {});
  const [code] = await Promise.race([once(child, "close"), once(child, "error").then(() => [1])]);
  if (/unshare|Operation not permitted/.test(said) || said === "")
    throw new Skipped(`no namespace of its own: ${said.trim() || "no unshare"}`);
  hold(code !== 0 && said.includes("used by another process"), `in a namespace of its own: ${code} ${said}`);
  return "refused in a namespace of its own";
}
