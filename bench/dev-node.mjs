// A development node on free ports, for measurements that need one node only.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "../scripts/lib.mjs";

/**
 * Starts `kairn dev` in a folder.
 * @returns its process id, its banner, and a function that stops it
 */
export async function startDevNode(folder, flags) {
  const always = ["--datadir", folder, "--rpcport", "0", "--wsport", "0", "--json", "--quiet"];
  const node = spawn(process.execPath, [join(root, "bin", "kairn"), "dev", ...always, ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(node, "exit");
  const failed = ended.then(([code]) => {
    throw new Error(`the node ended with ${code} before it was ready`);
  });
  const [banner] = await Promise.race([once(createInterface({ input: node.stdout }), "line"), failed]);
  failed.catch(() => {}); // it ends when it is stopped
  return {
    pid: node.pid,
    banner: JSON.parse(banner),
    async stop() {
      node.kill("SIGINT");
      await ended;
    },
  };
}
