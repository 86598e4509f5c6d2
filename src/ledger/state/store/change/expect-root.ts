import { equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { StateError } from "../../errors.ts";
import type { BlockState } from "../log/log-record.ts";

/** Compares a root with the one recorded for a block. @throws StateError `STATE_DAMAGED` */
export function expectRoot(root: Hash, block: BlockState): void {
  if (equalBytes(root, block.root)) return;
  const { number } = block;
  throw new StateError("STATE_DAMAGED", `replaying block ${number} gives another state root`, { number });
}
