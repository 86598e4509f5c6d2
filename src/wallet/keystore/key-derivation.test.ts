import { describe, expect, it } from "vitest";
import { createKeyDeriver, type KeyDerivation } from "./key-derivation.ts";

const how: KeyDerivation = { kdf: "scrypt", n: 2, r: 8, p: 1, dklen: 32, salt: new Uint8Array(32) };

/** A deriver whose derivations end when they are told to. */
function controlled() {
  const running: { readonly secret: Buffer; readonly end: () => void }[] = [];
  const deriver = createKeyDeriver(
    (secret) => new Promise((resolve) => running.push({ secret, end: () => resolve(new Uint8Array(32)) })),
    2,
  );
  return { running, deriver };
}

describe("key derivations", () => {
  it("run two at once, the others in the order they came", async () => {
    const { running, deriver } = controlled();
    const keys = ["a", "b", "c", "d"].map((passphrase) => deriver.derive(passphrase, how));
    await Promise.resolve();
    expect(running.map(({ secret }) => String(secret))).toEqual(["a", "b"]);
    running[1]?.end();
    await keys[1];
    expect(String(running[2]?.secret)).toBe("c");
    expect(running.length).toBe(3);
    for (const i of [0, 2]) running[i]?.end();
    await keys[2];
    running[3]?.end();
    await Promise.all(keys);
    expect(running.every(({ secret }) => secret.every((byte) => byte === 0))).toBe(true);
  });

  it("are refused when too many wait, and go on when those are done", async () => {
    const { running, deriver } = controlled();
    const keys = Array.from({ length: 258 }, () => deriver.derive("", how));
    await expect(deriver.derive("", how)).rejects.toMatchObject({ code: "KDF_BUSY" });
    for (let i = 0; i < keys.length; i++) {
      running[i]?.end();
      await keys[i];
    }
    const next = deriver.derive("", how);
    await Promise.resolve();
    running[258]?.end();
    await expect(next).resolves.toHaveLength(32);
  });

  it("make room for the next one when they fail", async () => {
    let calls = 0;
    const deriver = createKeyDeriver(async () => {
      calls++;
      throw new Error("out of memory");
    });
    await Promise.allSettled(Array.from({ length: 5 }, () => deriver.derive("", how)));
    expect(calls).toBe(5);
  });
});
