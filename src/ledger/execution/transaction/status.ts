import { STATUS_REVERTED, STATUS_SUCCESS, STATUS_VM_ERROR } from "../../../protocol/block/status.ts";
import type { Outcome } from "../../evm/evm.ts";

const STATUS_BY_OUTCOME: Readonly<Record<Outcome, number>> = {
  success: STATUS_SUCCESS,
  vmError: STATUS_VM_ERROR,
  insufficientBalance: STATUS_VM_ERROR,
  reservedAddress: STATUS_VM_ERROR,
  callDepth: 0x03,
  addressCollision: 0x04,
  codeStoreOutOfGas: 0x05,
  maxCodeSize: 0x06,
  outOfGas: 0x07,
  writeProtection: 0x08,
  revert: STATUS_REVERTED,
  computationLimit: 0x0a,
};

/** Receipt status for an EVM outcome. */
export function statusOfOutcome(outcome: Outcome): number {
  return STATUS_BY_OUTCOME[outcome];
}
