import { expect, it } from "vitest";
import { addressOfPublicKey, publicKeyOf } from "../protocol/crypto/secp256k1.ts";
import { bytesToHex } from "../protocol/primitives/hex.ts";
import { whyNotSealing } from "./seal-alone.ts";

const KEY = new Uint8Array(32).fill(1);
const OWN = addressOfPublicKey(publicKeyOf(KEY));
const OTHER = new Uint8Array(20).fill(2);

it("says in one sentence why a node makes no blocks", () => {
  expect(whyNotSealing([OWN], KEY)).toBeUndefined();
  expect(whyNotSealing([OWN], undefined)).toBe("it has no node key");
  expect(whyNotSealing([OWN, OTHER], KEY)).toMatch(/^the chain has 2 validators/);
  expect(whyNotSealing([OTHER], KEY)).toContain(`only validator is ${bytesToHex(OTHER)}`);
  expect(whyNotSealing([OTHER], KEY)).toContain(`that of ${bytesToHex(OWN)}`);
});
