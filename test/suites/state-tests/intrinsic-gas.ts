import type { EthereumFork } from "../../../src/ledger/evm/tables/ethereum-rules.ts";
import {
  ACCESS_LIST_ADDRESS_GAS,
  ACCESS_LIST_SLOT_GAS,
  AUTHORIZATION_GAS,
  CREATION_GAS,
  FLOOR_GAS_PER_TOKEN,
  INIT_CODE_WORD_GAS,
  NONZERO_BYTE_GAS,
  NONZERO_BYTE_GAS_FRONTIER,
  TOKENS_PER_NONZERO_BYTE,
  TRANSACTION_GAS,
  ZERO_BYTE_GAS,
} from "../../../src/protocol/params/gas.ts";
import { isSince } from "./ethereum-block.ts";
import type { EthereumTransaction } from "./fixture.ts";

/** Gas deducted before execution. @see EIP-2, EIP-2028, EIP-2930, EIP-3860, EIP-7702 */
export function paidGas(tx: EthereumTransaction, fork: EthereumFork): bigint {
  const creates = tx.to === undefined;
  const zeros = zeroBytes(tx.input);
  const nonzeroGas = isSince(fork, "Istanbul") ? NONZERO_BYTE_GAS : NONZERO_BYTE_GAS_FRONTIER;
  const slots = tx.accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0);
  const words = creates && isSince(fork, "Shanghai") ? Math.ceil(tx.input.length / 32) : 0;
  return (
    (creates && isSince(fork, "Homestead") ? CREATION_GAS : TRANSACTION_GAS) +
    BigInt(zeros) * ZERO_BYTE_GAS +
    BigInt(tx.input.length - zeros) * nonzeroGas +
    BigInt(tx.accessList.length) * ACCESS_LIST_ADDRESS_GAS +
    BigInt(slots) * ACCESS_LIST_SLOT_GAS +
    BigInt(words) * INIT_CODE_WORD_GAS +
    BigInt(tx.authorizationList?.length ?? 0) * AUTHORIZATION_GAS
  );
}

/** Minimum gas of a transaction. @see EIP-7623 */
export function floorGas(tx: EthereumTransaction, fork: EthereumFork): bigint {
  if (!isSince(fork, "Prague")) return 0n;
  const zeros = BigInt(zeroBytes(tx.input));
  const tokens = zeros + (BigInt(tx.input.length) - zeros) * TOKENS_PER_NONZERO_BYTE;
  return TRANSACTION_GAS + tokens * FLOOR_GAS_PER_TOKEN;
}

/** The larger of two numbers. */
export function larger(a: bigint, b: bigint): bigint {
  return a < b ? b : a;
}

/** The smaller of two numbers. */
export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function zeroBytes(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === 0) count++;
  return count;
}
