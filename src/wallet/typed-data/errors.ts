import { WalletError } from "../errors.ts";

/** The error for invalid typed data. */
export function typedDataError(text: string): WalletError {
  return new WalletError("TYPED_DATA", `invalid typed data: ${text}`);
}
