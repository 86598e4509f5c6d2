import type { Precompile } from "../../precompile.ts";

/** Fee payer of the transaction, 20 bytes without padding (address 0x3fe; 0x0a before istanbul). */
export const feePayer: Precompile = {
  name: "FEE_PAYER",
  gas: () => 300n,
  computation: () => 10n,
  run: (_, context) => context.feePayer.slice(),
};
