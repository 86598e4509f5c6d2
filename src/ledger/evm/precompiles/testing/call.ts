import { addressOfPublicKey, publicKeyOf } from "../../../../protocol/crypto/secp256k1.ts";
import type { Fork } from "../../../../protocol/params/forks.ts";
import type { Address } from "../../../../protocol/primitives/bytes.ts";
import type { StateJournal } from "../../../state/journal/journal-types.ts";
import type { Precompile } from "../../precompile.ts";
import { address, rulesAt } from "../../testing/run-code.ts";
import { precompiles } from "../index.ts";

/** Private key of the account that signs, and pays the fees. */
export const ALICE_KEY: Uint8Array = new Uint8Array(32).fill(7);
export const ALICE: Address = addressOfPublicKey(publicKeyOf(ALICE_KEY));

const noAccounts = { account: () => undefined } as unknown as StateJournal;

/** The precompile at an address, as a contract of this VM version calls it. */
export function at(number: number, fork?: Fork, callerVmVersion = 1): Precompile | undefined {
  return precompiles(address(number), rulesAt(fork), callerVmVersion);
}

/** The output of a call; undefined if it fails. */
export function run(number: number, input: Uint8Array, fork: Fork = "osaka"): Uint8Array | undefined {
  const output = resultOf(number, input, fork);
  return output instanceof Uint8Array ? output : undefined;
}

/** The error text of a call; undefined if it succeeds. */
export function failure(number: number, input: Uint8Array, fork: Fork = "osaka"): string | undefined {
  const output = resultOf(number, input, fork);
  return output instanceof Uint8Array ? undefined : output?.text;
}

function resultOf(number: number, input: Uint8Array, fork: Fork) {
  const checkDeadline = () => undefined;
  const context = { rules: rulesAt(fork), feePayer: ALICE, state: noAccounts, checkDeadline };
  return at(number, fork)?.run(input, context);
}
