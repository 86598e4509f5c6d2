// `npm run bench -- --compare BASE`: compares this checkout with another: a table, a plot and a verdict per row.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { root } from "../../scripts/lib.mjs";
import { anvilPeers, kairnPeer } from "../peers/peers.mjs";
import { plot, short } from "../plot.mjs";
import { measurePairs } from "./pairs.mjs";
import { compare, median } from "./verdict.mjs";

const OUT = join(root, "bench", "results");

/**
 * Compares this checkout with a commit or a built folder; writes `bench/results.json` and `bench/results.svg`.
 * @returns the exit code: 1 if a row fell by more than noise
 */
export async function compareWith(base, options) {
  const isFolder = existsSync(base) && statSync(base).isDirectory();
  const folder = isFolder ? resolve(base) : checkOut(base);
  try {
    const peers = [kairnPeer("base", folder), kairnPeer("here", root), ...anvilPeers()];
    console.log(
      `| | ${peers.map(({ name }) => name).join(" | ")} | here ÷ base | |\n|${"---|".repeat(peers.length + 3)}`,
    );
    const rows = await measurePairs(peers, { ...options, tell: (row) => console.log(lineOf(row)) });
    const records = rows.map(({ name, figures }) => ({ name, figures: Object.fromEntries(figures) }));
    writeFileSync(`${OUT}.json`, JSON.stringify({ date: new Date().toISOString(), base, records }));
    writeFileSync(`${OUT}.svg`, plot(records));
    const fallen = rows.filter((row) => verdictOf(row).verdict === "fell");
    for (const { name } of fallen) console.log(`fell by more than noise: ${name}`);
    return fallen.length > 0 ? 1 : 0;
  } finally {
    if (!isFolder) rmSync(folder, { recursive: true, force: true });
  }
}

const verdictOf = ({ figures }) => compare(figures.get("base"), figures.get("here"));

function lineOf(row) {
  const { ratio, low, high, verdict } = verdictOf(row);
  const cells = [...row.figures.values()].map((values) => short(median(values)));
  const spread = Number.isFinite(low) ? ` (${low.toFixed(2)}–${high.toFixed(2)})` : "";
  return `| ${row.name} | ${cells.join(" | ")} | ${ratio.toFixed(2)}${spread} | ${verdict} |`;
}

/** Checks out a commit into a temporary folder, and builds it with the packages installed here. */
function checkOut(commit) {
  const folder = mkdtempSync(join(tmpdir(), "kairn-base-"));
  const run = (command, ...args) => {
    const { status } = spawnSync(command, args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
    if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed`);
  };
  const archive = join(folder, "base.tar");
  run("git", "archive", "--output", archive, commit);
  run("tar", "-xf", archive, "-C", folder);
  rmSync(archive);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  run(process.execPath, join(folder, "scripts", "build.mjs"), "--no-types");
  return folder;
}
