import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rpcCall } from "../../../e2e/json-rpc.ts";
import { startNodeIn, temporaryFolder } from "../../../e2e/started-node.ts";
import { type HostileRow, hold, Skipped } from "../row.ts";

const KAIRN = fileURLToPath(new URL("../../../../bin/kairn", import.meta.url));
const BLOCKS = 50;

/** Reads the folder of a killed node, whose log is ahead of the database, mounted read-only. */
export const readOnlyMedia: HostileRow = {
  id: "R8r",
  promise: "db stats, db check and export read a folder on a read-only medium and write nothing",
  async run() {
    const folder = temporaryFolder();
    const data = join(folder, "data");
    try {
      await makeKilledChain(folder, data);
      const before = digest(data);
      const exported = join(folder, "blocks.rlp");
      const said = [
        ["db", "stats"],
        ["db", "check"],
        ["export", exported],
      ].map(([command, ...more]) =>
        onReadOnlyMount(data, [KAIRN, command as string, "--datadir", data, ...more]),
      );
      if (said.includes(undefined)) throw new Skipped("this process may not mount");
      hold(said[0]?.includes(`head      block ${BLOCKS} `) === true, `stats: ${said[0]}`);
      hold(said[1]?.includes("is right") === true, `check: ${said[1]}`);
      hold(existsSync(exported), "nothing was exported");
      hold(digest(data) === before, "the folder has changed");
      return `${BLOCKS} blocks of a killed node: counted, checked, exported; every file as before`;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function makeKilledChain(folder: string, data: string): Promise<void> {
  const node = await startNodeIn(join(folder, "node"), "--no-mining");
  try {
    await rpcCall(node.endpoints.http, "anvil_mine", `0x${BLOCKS.toString(16)}`);
  } finally {
    node.child.kill("SIGKILL");
    await node.exited;
  }
  cpSync(join(folder, "node"), data, { recursive: true, filter: (path) => !statSync(path).isSocket() });
}

/** @returns what the command printed; undefined where the folder cannot be mounted */
function onReadOnlyMount(folder: string, command: readonly string[]): string | undefined {
  const mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" || exit 99; exec "$@"';
  const args = ["-m", "sh", "-c", mount, folder, process.execPath, ...command];
  const { status, stdout, stderr, error } = spawnSync("unshare", args, { encoding: "utf8" });
  if (error || status === 99 || /^unshare:/.test(stderr)) return undefined;
  hold(status === 0, `${command.slice(1).join(" ")}: ${status} ${stderr}`);
  return stdout;
}

/** Names, times and contents. */
function digest(folder: string): string {
  const hash = createHash("sha256");
  for (const name of (readdirSync(folder, { recursive: true }) as string[]).sort()) {
    const { mtimeMs, size } = statSync(join(folder, name));
    hash.update(`${name} ${mtimeMs} ${size}\n`);
    if (statSync(join(folder, name)).isFile()) hash.update(readFileSync(join(folder, name)));
  }
  return hash.digest("hex");
}
