import type { Node } from "../create-node.ts";

/** Accounts without a balance. */
export const [ALICE, BOB, CAROL] = ["c0", "c1", "c2"].map((byte) => `0x${byte.padEnd(40, "0")}`) as [
  string,
  string,
  string,
];
/** Address of the logs that `traceTransfers` adds, and their topic. */
export const TOKEN = `0x${"ee".repeat(20)}`;
export const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** What a test reads of a simulated block. */
export interface Simulated {
  readonly number: string;
  readonly timestamp: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly stateRoot: string;
  readonly gasUsed: string;
  readonly miner: string;
  readonly baseFeePerGas: string;
  readonly transactions: readonly unknown[];
  readonly calls: readonly {
    readonly [member: string]: unknown;
    readonly logs: readonly { [member: string]: unknown }[];
  }[];
}

/** An override that gives Alice 5,000 kei. */
export const funded = { [ALICE]: { balance: "0x1388" } };

/** Requests to the node of a test, once it has started. */
export function requestsTo(node: () => Node) {
  const request = (method: string, ...params: unknown[]) => node().provider.request({ method, params });
  const simulate = (simulation: Record<string, unknown>, block = "latest") =>
    request("eth_simulateV1", simulation, block) as Promise<Simulated[]>;
  const one = (simulation: Record<string, unknown>) => simulate({ blockStateCalls: [simulation] });
  return { request, simulate, one };
}
