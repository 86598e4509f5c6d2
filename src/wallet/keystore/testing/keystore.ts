import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createSimulatedRuntime, type SimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import type { Keystore } from "../../wallet.ts";
import type { KeyDeriver } from "../key-derivation.ts";
import { createKeystore } from "../keystore.ts";

/** A single hash: the real derivation has its own tests. */
export const deriver: KeyDeriver = {
  derive: async ({ bytes }, { salt }) => createHash("sha256").update(bytes).update(salt).digest(),
};

/** The private key that repeats this byte. */
export const key = (n: number): Uint8Array => new Uint8Array(32).fill(n);

/** A hash to sign. */
export const hash: Uint8Array = key(0x55);

/** A keystore in virtual time, and its folder. */
export interface TemporaryKeystore {
  readonly dir: string;
  readonly runtime: SimulatedRuntime;
  readonly keystore: Keystore;
}

/** Opens a keystore on a new folder; both are gone after the test. */
export function temporaryKeystore(): TemporaryKeystore {
  const parent = mkdtempSync(join(tmpdir(), "kairn-keystore-"));
  const dir = join(parent, "keystore");
  const runtime = createSimulatedRuntime({ startMs: Date.UTC(2025, 0, 2, 3, 4, 5, 678) });
  const keystore = createKeystore({ dir, ...runtime, deriver });
  onTestFinished(async () => {
    await keystore.close();
    rmSync(parent, { recursive: true });
  });
  return { dir, runtime, keystore };
}
