// The delay between a consensus node and an endpoint serving a block: `KAIA_BIN=FOLDER npx tsx bench/network/follow.mts
// [BLOCKS] [--cn kairn|go]`. Both kinds of endpoint follow one consensus node of the reference at the same time; each node is
// polled for its height every 10 ms. Prints medians and the longest.
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { goFolder, type Kind, type NetworkNode } from "../../test/network/node.ts";
import { reaches, Stage } from "../../test/network/stage.ts";

const POLL_MS = 10;
const { values, positionals } = parseArgs({
  options: { cn: { type: "string", default: "go" } },
  allowPositionals: true,
});
if (goFolder === undefined) throw new Error("KAIA_BIN must name the folder of the Go nodes");
const blocks = Number(positionals[0] ?? 60);

const stage = new Stage();
try {
  const cn = await stage.start({ kind: values.cn as Kind, role: "cn", name: "cn" });
  const ends: NetworkNode[] = [];
  for (const kind of ["kairn", "go"] as const)
    ends.push(await stage.start({ kind, role: "en", name: kind, peers: [cn.url] }));
  const ready = (await cn.height()) + 3;
  await Promise.all(ends.map((end) => reaches(end, ready)));
  const start = (await cn.height()) + 1;
  const [shown, ...others] = await Promise.all([cn, ...ends].map((node) => arrivals(node, start + blocks)));
  for (const [i, { kind }] of ends.entries()) {
    const lags = [...(shown ?? [])]
      .filter(([number]) => number > start && others[i]?.has(number))
      .map(([number, at]) => Math.max(0, (others[i]?.get(number) as number) - at))
      .sort((a, b) => a - b);
    const at = (share: number) => Math.round(lags[Math.floor((lags.length - 1) * share)] as number);
    console.log(
      `${kind} endpoint: ${lags.length} blocks of a ${values.cn} node, median ${at(0.5)} ms, 95 % ${at(0.95)} ms, ` +
        `longest ${at(1)} ms (load ${loadavg()[0]?.toFixed(0)})`,
    );
  }
} finally {
  await stage.close();
}

/** When a node first served each block, up to a given one. */
async function arrivals(node: NetworkNode, last: number): Promise<ReadonlyMap<number, number>> {
  const seen = new Map<number, number>();
  for (let height = await node.height(); height < last; ) {
    const now = await node.height();
    for (let number = height + 1; number <= now; number++) seen.set(number, performance.now());
    height = now;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return seen;
}
