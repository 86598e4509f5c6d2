import type { Log } from "../../protocol/block/receipt.ts";

/** Names for addresses, selectors and topics, as far as they are known. All texts are untrusted. */
export interface Names {
  /** The contract that stands at an address. */
  contract(address: Uint8Array): string | undefined;
  /** The function called by an input, with its arguments. */
  call(address: Uint8Array, input: Uint8Array): string | undefined;
  /** The custom error that a contract reverted with. */
  error(output: Uint8Array, address: Uint8Array | undefined): string | undefined;
  /** The event of a log. */
  log(log: Log): string | undefined;
}

/** Knows nothing. */
export const NO_NAMES: Names = {
  contract: () => undefined,
  call: () => undefined,
  error: () => undefined,
  log: () => undefined,
};
