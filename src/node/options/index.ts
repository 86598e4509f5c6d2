import type { OptionValues } from "../../platform/config/option.ts";
import { accountOptions } from "./account.ts";
import { dataOptions } from "./data.ts";
import { devOptions } from "./dev.ts";
import { endpointOptions } from "./endpoint.ts";
import { gaslessOptions } from "./gasless.ts";
import { poolOptions } from "./pool.ts";
import { processOptions } from "./process.ts";

/** Every option of a node on a chain of its own data folder. */
export const nodeOptions = {
  ...dataOptions,
  ...endpointOptions,
  ...accountOptions,
  ...poolOptions,
  ...gaslessOptions,
  ...processOptions,
} as const;

/** Every option of a development node: all is served on loopback unless said otherwise. */
export const devNodeOptions = {
  ...nodeOptions,
  ...devOptions,
  http: { ...endpointOptions.http, default: true },
  ws: { ...endpointOptions.ws, default: true },
  gcMode: { ...dataOptions.gcMode, default: "archive" as const },
  verbosity: { ...processOptions.verbosity, default: 2 },
} as const;

export type NodeSettings = OptionValues<typeof nodeOptions>;
export type DevNodeSettings = OptionValues<typeof devNodeOptions>;

export {
  accountOptions,
  dataOptions,
  devOptions,
  endpointOptions,
  gaslessOptions,
  poolOptions,
  processOptions,
};
