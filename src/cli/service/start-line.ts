import type { Node } from "../../node/create-node.ts";
import { VERSION } from "../../node/version.ts";
import { FORKS } from "../../protocol/params/forks.ts";

/** What a node on a chain of its own says once it runs: version, chain, head, fork schedule, roles, folder, where it listens. */
export function startLine(
  { chain, endpoints, role }: Pick<Node, "chain" | "endpoints" | "role">,
  dataDir: string,
): string {
  const { config, head } = chain;
  const { number } = head.header;
  const facts = [
    `chain ${config.chainId}`,
    `block ${number}`,
    `forks ${forkSchedule(config.forks, number)}`,
    role,
    `data in ${dataDir}`,
    `listening on ${Object.values(endpoints).join(", ") || "nothing but this process"}`,
  ];
  return `kairn: version ${VERSION}, ${facts.join(", ")}`;
}

/** The newest fork that is active, and those to come with their blocks: `osaka`, `kaia, prague at 190670000`. */
export function forkSchedule(forks: Node["chain"]["config"]["forks"], head: bigint): string {
  const active = FORKS.findLast((fork) => (forks[fork] ?? head + 1n) <= head) ?? "none";
  const coming = FORKS.filter((fork) => (forks[fork] ?? 0n) > head).map(
    (fork) => `${fork} at ${forks[fork]}`,
  );
  return [active, ...coming].join(", ");
}
