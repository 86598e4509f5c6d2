import { WalletError } from "../errors.ts";

/** What is wrong with typed data, in words for whoever made it. */
export function typedDataError(text: string): WalletError {
  return new WalletError("TYPED_DATA", `invalid typed data: ${text}`);
}
