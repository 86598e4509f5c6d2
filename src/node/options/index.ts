import type { OptionSet, OptionValues } from "../../platform/config/option.ts";
import { bootnodeOnlyOptions } from "./bootnode.ts";
import { accountOptions } from "./chain/account.ts";
import { clusterOptions } from "./chain/cluster.ts";
import { dataOptions } from "./chain/data.ts";
import { gaslessOptions } from "./chain/gasless.ts";
import { networkOptions } from "./chain/network.ts";
import { poolOptions } from "./chain/pool.ts";
import { devOptions } from "./dev/dev.ts";
import { feePayerOptions } from "./dev/fee-payer.ts";
import { forkOptions } from "./dev/fork.ts";
import { miningOptions } from "./dev/mining.ts";
import { stateOptions } from "./dev/state.ts";
import { processOptions } from "./process.ts";
import { clientLimitOptions } from "./service/client-limits.ts";
import { dashboardOptions } from "./service/dashboard.ts";
import { endpointOptions } from "./service/endpoint.ts";
import { limitOptions } from "./service/limits.ts";
import { sqlOptions } from "./service/sql.ts";
import { streamOptions } from "./service/stream.ts";

/** Every option of a node on the chain of its data folder. */
export const nodeOptions = {
  ...dataOptions,
  ...endpointOptions,
  ...limitOptions,
  ...clientLimitOptions,
  ...accountOptions,
  ...poolOptions,
  ...gaslessOptions,
  ...networkOptions,
  ...clusterOptions,
  ...dashboardOptions,
  ...streamOptions,
  ...sqlOptions,
  ...processOptions,
} as const;

/** Every option that only a development node has. */
export const devOnlyOptions = {
  ...devOptions,
  ...miningOptions,
  ...forkOptions,
  ...stateOptions,
  ...feePayerOptions,
} as const;

/** Every option of a development node: everything is served on loopback by default. */
export const devNodeOptions = {
  ...nodeOptions,
  ...devOnlyOptions,
  http: { ...endpointOptions.http, default: true },
  ws: { ...endpointOptions.ws, default: true },
  dashboard: { ...dashboardOptions.dashboard, default: true },
  dashboardPublicRead: { ...dashboardOptions.dashboardPublicRead, default: true },
  gcMode: { ...dataOptions.gcMode, default: "archive" as const },
  verbosity: { ...processOptions.verbosity, default: 2 },
} as const;

/** All options by topic, as help and reference show them. */
export const OPTION_GROUPS: Readonly<Record<string, OptionSet>> = {
  "Data and chain": dataOptions,
  "Development chain": devOptions,
  Mining: miningOptions,
  "Keys and accounts": accountOptions,
  API: endpointOptions,
  "Limits of the API": { ...limitOptions, ...clientLimitOptions },
  "Transaction pool": poolOptions,
  "Gas abstraction": gaslessOptions,
  Fork: forkOptions,
  "State files": stateOptions,
  "Fee payer": feePayerOptions,
  Network: networkOptions,
  "Several nodes": clusterOptions,
  Dashboard: dashboardOptions,
  "Event stream": streamOptions,
  "SQL tables": sqlOptions,
  Bootnode: bootnodeOnlyOptions,
  "Logs and metrics": processOptions,
};

/** The values of a node's options. */
export type NodeSettings = OptionValues<typeof nodeOptions>;
/** The values of a development node's options. */
export type DevNodeSettings = OptionValues<typeof devNodeOptions>;

export { accountOptions, dataOptions, endpointOptions };
