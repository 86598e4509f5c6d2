import { type Address, type Hash, ZERO_ADDRESS } from "../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../protocol/primitives/hex.ts";
import type { BlockEnvironment } from "./environment.ts";

/** Caller of system calls. @see EIP-4788 */
export const SYSTEM_ADDRESS: Address = hexToBytes("0xfffffffffffffffffffffffffffffffffffffffe");
/** Contract that stores the hashes of past blocks. @see EIP-2935 */
export const HISTORY_ADDRESS: Address = hexToBytes("0x0000f90827f1c53a10cb7a02335b175320002935");
const SYSTEM_CALL_GAS = 30_000_000n;

/**
 * Stores the parent hash in the history contract at the start of a block, from prague on. The fork does not deploy the
 * contract; without it, nothing happens.
 * @see EIP-2935
 */
export function storeParentHash(
  parentHash: Hash,
  { evm, state, context, computationLimit }: BlockEnvironment,
): void {
  if (!context.rules.prague) return;
  const message = {
    caller: SYSTEM_ADDRESS,
    to: HISTORY_ADDRESS,
    value: 0n,
    input: parentHash,
    gas: SYSTEM_CALL_GAS,
  };
  const transaction = { origin: SYSTEM_ADDRESS, gasPrice: 0n, feePayer: ZERO_ADDRESS, blobHashes: [] };
  state.warm(HISTORY_ADDRESS);
  evm.run(
    message,
    context,
    transaction,
    state,
    computationLimit === undefined ? {} : { computation: computationLimit },
  );
  state.endTransaction();
}
