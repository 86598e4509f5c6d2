import { concat } from "../../../../protocol/primitives/bytes.ts";
import { numberKey } from "../../../database/table/number-key.ts";
import { ACCOUNT_KEY } from "../flat/flat-changes.ts";

/** First byte of the keys of accounts in the archive, and of slots. */
export const ACCOUNT = Uint8Array.of(0);
export const SLOT = Uint8Array.of(1);
/** Value of an entry for a row that did not exist. */
export const NO_ROW = new Uint8Array(0);

/** Key of an entry in the archive: kind ‖ key of the flat row ‖ block number (8 bytes). */
export function rowKey(key: Uint8Array, number: bigint | Uint8Array): Uint8Array {
  return concat(
    key.length === ACCOUNT_KEY ? ACCOUNT : SLOT,
    key,
    typeof number === "bigint" ? numberKey(number) : number,
  );
}
