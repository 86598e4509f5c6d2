import { HISTORY_ADDRESS } from "../../../ledger/execution/system-call.ts";
import {
  type Address,
  bigintToFixedBytes,
  bytesToBigint,
  equalBytes,
  type Hash,
} from "../../../protocol/primitives/bytes.ts";

/** Size of the ring buffer of the block hash contract. @see EIP-2935 */
const HISTORY_SLOTS = 8191n;
const AHEAD = 64n;

/** Slots likely to be read soon after a given one: every block writes the next one of the block hash contract. */
export function slotsAhead(address: Address, slot: Hash): readonly Hash[] {
  if (!equalBytes(address, HISTORY_ADDRESS)) return [];
  const first = bytesToBigint(slot) + 1n;
  return Array.from({ length: Number(AHEAD) }, (_, i) =>
    bigintToFixedBytes((first + BigInt(i)) % HISTORY_SLOTS, 32),
  );
}
