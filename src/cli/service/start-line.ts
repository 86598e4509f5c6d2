import type { Node } from "../../node/create-node.ts";
import { VERSION } from "../../node/version.ts";
import { FORKS } from "../../protocol/params/forks.ts";

/** The line that `kairn node` prints at start: version, chain, head, fork schedule, roles, folder, listeners. */
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

/**
 * The line about the dashboard: its link on a terminal; elsewhere, where a log would keep it, how to get one. Undefined if the
 * node serves none.
 */
export function dashboardLine(
  node: Pick<Node, "endpoints" | "dashboardLink">,
  dataDir: string,
  isTerminal: boolean,
): string | undefined {
  const { dashboard } = node.endpoints;
  if (dashboard === undefined) return undefined;
  if (isTerminal) return `kairn: dashboard ${node.dashboardLink()}`;
  return `kairn: dashboard ${dashboard}; kairn attach --datadir ${dataDir} --exec 'admin.dashboardLink()' prints its link`;
}

/** The newest active fork, and future ones with their blocks: `osaka`, `kaia, prague at 190670000`. */
export function forkSchedule(forks: Node["chain"]["config"]["forks"], head: bigint): string {
  const active = FORKS.findLast((fork) => (forks[fork] ?? head + 1n) <= head) ?? "none";
  const coming = FORKS.filter((fork) => (forks[fork] ?? 0n) > head).map(
    (fork) => `${fork} at ${forks[fork]}`,
  );
  return [active, ...coming].join(", ");
}
