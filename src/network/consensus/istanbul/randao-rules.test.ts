import { describe, expect, it } from "vitest";
import { ExtensionError } from "../../../ledger/extensions/errors.ts";
import { blsSecretKey, loadBls } from "../../../protocol/crypto/bls.ts";
import type { ChainConfig } from "../../../protocol/params/config.ts";
import { revealFault } from "./randao-rules.ts";

const bls = await loadBls();
const [own, other] = [1, 2].map((i) => blsSecretKey(new Uint8Array(32).fill(i))) as [Uint8Array, Uint8Array];
const validator = new Uint8Array(20).fill(7);
const config = (randao: bigint | undefined) => ({ forks: { randao } }) as unknown as ChainConfig;
const registered = (secret: Uint8Array) => ({ publicKey: () => bls.publicKey(secret) });
const nobody = {
  publicKey(): Uint8Array {
    throw new ExtensionError("RANDAO", "bls pubkey not found for the proposer");
  },
};

describe("a validator's reveals", () => {
  const fault = (keys: { publicKey(): Uint8Array }, secretKey?: Uint8Array) =>
    revealFault(10n, validator, config(10n), { bls, keys, ...(secretKey && { secretKey }) });

  it("are valid with the key in the registry", () => {
    expect(fault(registered(own), own)).toBeUndefined();
  });

  it("are invalid with another key, with none, and if the registry has none", () => {
    expect(fault(registered(other), own)).toBe("the node's BLS key is not the one in the chain's registry");
    expect(fault(registered(own))).toBe("bls key not configured");
    expect(fault(nobody, own)).toBe("bls pubkey not found for the proposer");
  });

  it("need no key before the fork", () => {
    expect(revealFault(9n, validator, config(10n), undefined)).toBeUndefined();
    expect(revealFault(9n, validator, config(undefined), undefined)).toBeUndefined();
  });
});
