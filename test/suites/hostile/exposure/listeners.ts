import { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Finished, runKairn, startKairn } from "../../../e2e/kairn-process.ts";
import { startNodeIn, temporaryFolder } from "../../../e2e/started-node.ts";
import { hold } from "../row.ts";

/** Addresses that a process listens on, in the kernel's hex notation. */
function listening(pid: number): readonly string[] {
  const held = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)));
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === "0A" && held.has(`socket:[${inode}]`))
      .map(([, local = ""]) => local.slice(0, local.indexOf(":"))),
  );
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // closed meanwhile
  }
}

export async function onlyLoopback(): Promise<string> {
  const folder = temporaryFolder();
  const node = await startNodeIn(join(folder, "data"));
  try {
    const addresses = listening(node.child.pid as number);
    hold(addresses.length >= 2, "HTTP and WebSocket do not listen");
    for (const address of addresses) hold(address === "0100007F", `listens on ${address}`);
    const modes = [node.endpoints.ipc, node.dataDir].map((path) => (statSync(path).mode & 0o777).toString(8));
    hold(modes.join() === "600,700", `modes ${modes}`);
    return `${addresses.length} listeners on 127.0.0.1, socket 0600, folder 0700`;
  } finally {
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts that must be refused or cause a warning: where it listens, what it serves, what was allowed. */
export async function undecidedStarts(): Promise<string> {
  const folder = temporaryFolder();
  const dev = ["dev", "--json", "--ephemeral", "--rpcport", "0", "--wsport", "0"];
  const bare = [...dev, "--accounts", "0", "--rpcapi", "eth,net", "--wsapi", "eth,net"];
  const open = ["--rpcaddr", "0.0.0.0"];
  const refused: readonly (readonly string[])[] = [
    [...dev, ...open],
    [...dev, "--wsaddr", "::"],
    [...dev, "--rpcaddr", "0"],
    [...dev, ...open, "--rpcapi", "eth"],
    [...bare, ...open, "--rpcapi", "eth,admin"],
    [...bare, ...open, "--rpcapi", "eth,debug"],
    [...bare, ...open, "--wsapi", "personal"],
    [...bare, ...open, "--rpc.unsafe-host"],
    ["node", "--datadir", folder, "--rpc", ...open, "--unlock", "0"],
  ];
  for (const args of refused) {
    const { code, stdout, stderr }: Finished = await runKairn(args);
    hold(code === 78 && stdout === "", `${args.join(" ")}: ${code} ${stderr}`);
    hold(/--allow-(exposed|insecure-unlock)/.test(stderr), stderr);
  }
  for (const args of [
    [...dev, ...open, "--allow-exposed"],
    [...bare, ...open],
  ]) {
    const started = startKairn(args);
    await started.firstLine();
    started.child.kill("SIGTERM");
    await started.exited;
    const isWarned = /other machines reach this node.*the development accounts.*admin/.test(
      started.printed.stderr,
    );
    hold(isWarned === args.includes("--allow-exposed"), `${args.join(" ")}: ${started.printed.stderr}`);
  }
  rmSync(folder, { recursive: true, force: true });
  return `${refused.length} starts refused with 78, with --allow-exposed a warning that names accounts and modules`;
}
