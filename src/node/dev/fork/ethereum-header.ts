import type { Json } from "../../../protocol/codec/json/value.ts";
import { encodeItem, type Item } from "../../../protocol/codec/rlp/item.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { bigintToBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import { bytesOf, quantityOf } from "./remote-values.ts";

/** A member with its length in bytes; without one it is a quantity of up to 256 bits. */
type Field = readonly [name: string, bytes?: number];

/** Maximum bytes of extra data, in which proof-of-authority networks store signatures. */
const ANY_LENGTH = -1;

/** The members of a header in the order of its RLP. @see Yellow Paper, 4.4.3 */
const FIELDS: readonly Field[] = [
  ["parentHash", 32],
  ["sha3Uncles", 32],
  ["miner", 20],
  ["stateRoot", 32],
  ["transactionsRoot", 32],
  ["receiptsRoot", 32],
  ["logsBloom", 256],
  ["difficulty"],
  ["number"],
  ["gasLimit"],
  ["gasUsed"],
  ["timestamp"],
  ["extraData", ANY_LENGTH],
  ["mixHash", 32],
  ["nonce", 8],
];

/** Members added by later forks, each only together with all before it. @see EIP-1559, EIP-4895, EIP-4844, EIP-4788, EIP-7685 */
const LATER_FIELDS: readonly Field[] = [
  ["baseFeePerGas"],
  ["withdrawalsRoot", 32],
  ["blobGasUsed"],
  ["excessBlobGas"],
  ["parentBeaconBlockRoot", 32],
  ["requestsHash", 32],
];

/**
 * The hash of a block in Ethereum's form, computed from its members; undefined if some are missing, as on chains with a header
 * format of their own.
 * @throws ForkError `REMOTE_FAILED` for a member that is not of its form
 */
export function ethereumHash(block: Readonly<Record<string, Json>>, method: string): Hash | undefined {
  const has = ([name]: Field): boolean => (block[name] ?? null) !== null;
  if (!FIELDS.every(has)) return undefined;
  const later = LATER_FIELDS.findIndex((field) => !has(field));
  const present = [...FIELDS, ...LATER_FIELDS.slice(0, later < 0 ? LATER_FIELDS.length : later)];
  return keccak256(encodeItem(present.map((field) => itemOf(block, field, method))));
}

function itemOf(block: Readonly<Record<string, Json>>, [name, bytes]: Field, method: string): Item {
  if (bytes === undefined) return bigintToBytes(quantityOf(block[name], method));
  return bytesOf(block[name], method, bytes === ANY_LENGTH ? undefined : bytes);
}
