import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { deriveInProcess, type KeyDerivation } from "../../wallet/keystore/key-derivation.ts";
import { createKeyDerivations } from "./key-derivations.ts";

const { randomness } = systemRuntime;
const salt = new Uint8Array(32).fill(7);
/** The cheapest parameters that get a process. */
const DEAR: readonly KeyDerivation[] = [
  { kdf: "scrypt", n: 2 ** 15, r: 8, p: 1, dklen: 32, salt },
  { kdf: "pbkdf2", c: 2 ** 18, dklen: 64, salt },
];
/** Minutes of work. */
const ENDLESS: KeyDerivation = { kdf: "scrypt", n: 2 ** 19, r: 8, p: 2 ** 9, dklen: 32, salt };
const secret = () => new TextEncoder().encode("a passphrase");

const folder = mkdtempSync(join(tmpdir(), "kairn-"));
const script = pathToFileURL(join(folder, "derive-key.mjs"));

beforeAll(async () => {
  const source = fileURLToPath(new URL("derive-key.ts", import.meta.url));
  const shape = { bundle: true, platform: "node", format: "esm" } as const;
  await build({ ...shape, entryPoints: [source], outfile: fileURLToPath(script) });
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a key derivation in a process of its own", () => {
  it.each(DEAR)("derives the same key: $kdf", async (how) => {
    const { derive } = createKeyDerivations(randomness, script);
    expect(await derive(secret(), how)).toEqual(new Uint8Array(await deriveInProcess(secret(), how)));
  });

  it("does not modify its passphrase", async () => {
    const given = secret();
    await createKeyDerivations(randomness, script).derive(given, DEAR[0] as KeyDerivation);
    expect(given).toEqual(secret());
  });

  it("is aborted when the caller disconnects", async () => {
    const { derive } = createKeyDerivations(randomness, script);
    const caller = new AbortController();
    const key = derive(secret(), ENDLESS, caller.signal);
    caller.abort();
    await expect(key).rejects.toMatchObject({ code: "CALLER_GONE" });
  });

  it("is aborted when the node stops, after which none starts", async () => {
    const derivations = createKeyDerivations(randomness, script);
    const key = derivations.derive(secret(), ENDLESS);
    derivations.close();
    await expect(key).rejects.toMatchObject({ code: "CALLER_GONE" });
    await expect(derivations.derive(secret(), ENDLESS)).rejects.toMatchObject({ code: "CALLER_GONE" });
  });

  it("is reported as busy when the system kills it", async () => {
    const broken = pathToFileURL(join(folder, "not-there.mjs"));
    const { derive } = createKeyDerivations(randomness, broken);
    await expect(derive(secret(), DEAR[0] as KeyDerivation)).rejects.toMatchObject({ code: "KDF_BUSY" });
  });

  it("runs in this process if it is cheap, or if no script was built", async () => {
    const cheap = { ...DEAR[0], n: 2 ** 12 } as KeyDerivation;
    const broken = pathToFileURL(join(folder, "not-there.mjs"));
    expect(await createKeyDerivations(randomness, broken).derive(secret(), cheap)).toHaveLength(32);
    expect(await createKeyDerivations(randomness, undefined).derive(secret(), cheap)).toHaveLength(32);
  });
});
