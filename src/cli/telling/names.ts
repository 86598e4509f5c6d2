import type { Log } from "../../protocol/block/receipt.ts";

/** Names of what stands in a chain as hex, as far as somebody knows them. All texts may hold anything. */
export interface Names {
  /** The contract that stands at an address. */
  contract(address: Uint8Array): string | undefined;
  /** The function that an input calls, with its arguments. */
  call(address: Uint8Array, input: Uint8Array): string | undefined;
  /** The error that a contract gave as its reason. */
  error(output: Uint8Array, address: Uint8Array | undefined): string | undefined;
  /** The event that a log is. */
  log(log: Log): string | undefined;
}

/** Knows nothing. */
export const NO_NAMES: Names = {
  contract: () => undefined,
  call: () => undefined,
  error: () => undefined,
  log: () => undefined,
};
