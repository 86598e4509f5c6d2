import { WalletError } from "../errors.ts";

/** What is wrong with typed data, in words for its author. */
export function typedDataError(text: string): WalletError {
  return new WalletError("TYPED_DATA", `invalid typed data: ${text}`);
}
