// The cost for an endpoint to download a chain from a consensus node of the reference: CPU seconds of its process, kairn and Go in turn.
// `KAIA_BIN=FOLDER npx tsx bench/network/sync.mts [ROUNDS] [CHAIN]`: a chain is a folder with `genesis.json`, `keys.json` and `chain.rlp.gz`;
// without one, 2,600 blocks most of which are empty. `KAIRN_PROFILE=FOLDER` writes CPU profiles of kairn there.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { goFolder, type Kind, type NetworkNode } from "../../test/network/node.ts";
import { LONG_CHAIN, reaches, Stage } from "../../test/network/stage.ts";

if (goFolder === undefined) throw new Error("KAIA_BIN must name the folder of the Go nodes");
const rounds = Number(process.argv[2] ?? 3);
const TICKS = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
const KINDS: readonly Kind[] = ["kairn", "go"];

const folder = process.argv[3];
const stage = new Stage(folder && join(folder, "genesis.json"));
const spent: Record<Kind, number[]> = { kairn: [], go: [] };
try {
  const chain = folder === undefined ? LONG_CHAIN : join(folder, "chain.rlp.gz");
  const own = folder === undefined ? {} : { key: validatorKey(folder) };
  const cn = await stage.start({ kind: "go", role: "cn", name: "cn", chain, ...own });
  const height = await cn.height();
  for (let round = 0; round < rounds; round++) {
    for (const kind of KINDS) {
      const began = performance.now();
      const en = await stage.start({ kind, role: "en", name: `${kind}${round}`, peers: [cn.url] });
      await reaches(en, 1);
      const first = performance.now() - began;
      await reaches(en, height);
      const seconds = cpuSeconds(en);
      spent[kind].push(seconds);
      await en.stop();
      console.log(
        `${kind}: ${seconds.toFixed(1)} CPU s to block ${height}; block 1 after ${Math.round(first)} ms (load ${loadavg()[0]?.toFixed(0)})`,
      );
    }
  }
} finally {
  await stage.close();
}
const [kairn, go] = [median(spent.kairn), median(spent.go)];
console.log(
  `medians: kairn ${kairn.toFixed(1)}, Go ${go.toFixed(1)} CPU s, ratio ${(kairn / go).toFixed(2)}`,
);

/** User and system time of a process since its launch. @see proc(5) */
function cpuSeconds({ pid }: NetworkNode): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Key of the chain's validator, 64 hex digits: the node that serves the chain must be able to seal its blocks. */
function validatorKey(folder: string): string {
  const { keys } = JSON.parse(readFileSync(join(folder, "keys.json"), "utf8"));
  return keys.find(({ label }: { label: string }) => label === "validator0").privateKey.slice(2);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}
