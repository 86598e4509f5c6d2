import { expect, it } from "vitest";
import { addressOfPublicKey, publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { sealingObstacle } from "./sealing-obstacle.ts";

const KEY = new Uint8Array(32).fill(1);
const OWN = addressOfPublicKey(publicKeyOf(KEY));
const OTHER = new Uint8Array(20).fill(2);

it("explains in one sentence why a node seals no blocks", () => {
  expect(sealingObstacle([OWN], KEY)).toBeUndefined();
  expect(sealingObstacle([OWN], undefined)).toBe("it has no node key");
  expect(sealingObstacle([OTHER, OWN], KEY)).toBeUndefined();
  expect(sealingObstacle([OTHER, OTHER], KEY)).toContain("has no seat among the chain's 2 validators");
  expect(sealingObstacle([OTHER, OTHER], KEY)).toContain(`that of ${bytesToHex(OWN)}`);
  expect(sealingObstacle([OTHER], KEY)).toContain(`only validator is ${bytesToHex(OTHER)}`);
  expect(sealingObstacle([OTHER], KEY)).toContain(`that of ${bytesToHex(OWN)}`);
});
