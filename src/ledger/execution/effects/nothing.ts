import { type EffectRules, onlyRaiseNonce } from "./effect.ts";

/** Occupies a nonce: a cancellation, or data that is anchored by standing in the block. */
export const nothing: EffectRules = {
  check() {},
  run: onlyRaiseNonce,
};
