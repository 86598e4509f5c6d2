import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { SimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { Passphrase } from "../passphrase.ts";
import type { Keystore } from "../wallet.ts";
import { createKeystore } from "./keystore.ts";
import { deriver, temporaryKeystore } from "./testing/keystore.ts";

const vectors = new URL("../../../test/fixtures/vectors/keystore/files/", import.meta.url).pathname;

let dir: string;
let runtime: SimulatedRuntime;
let keystore: Keystore;
const addresses = () => keystore.accounts().map(({ address }) => bytesToHex(address));

beforeEach(() => {
  ({ dir, runtime, keystore } = temporaryKeystore());
});

describe("the key folder", () => {
  it("finds key files by content, and skips everything else", () => {
    cpSync(join(vectors, "keystore"), dir, { recursive: true });
    symlinkSync(join(vectors, "very-light-scrypt.json"), join(dir, "link"));
    writeFileSync(join(dir, "copy~"), readFileSync(join(dir, "aaa")));
    expect(addresses()).toEqual([
      "0x7ef5a6135f1fd6a02593eedc869c6d41d934aef8",
      "0xf466859ead1932d743d622cb74fc058882e8648a",
      "0x289d485d9771714cce91d3393d764e1311907acc",
    ]);
  });

  it("follows added, changed and removed files", async () => {
    const [aaa, zzz] = ["aaa", "zzz"].map((name) => readFileSync(join(vectors, "keystore", name)));
    await keystore.newAccount(new Passphrase(""));
    const settled = async (want: number) => {
      await vi.waitFor(async () => {
        await runtime.advance(2000);
        expect(keystore.accounts().length).toBe(want);
      }, 15_000);
    };
    writeFileSync(join(dir, "file"), aaa as Buffer);
    await settled(2);
    expect(addresses()).toContain("0xf466859ead1932d743d622cb74fc058882e8648a");
    writeFileSync(join(dir, "file"), zzz as Buffer);
    await vi.waitFor(async () => {
      await runtime.advance(2000);
      expect(addresses()).toContain("0x289d485d9771714cce91d3393d764e1311907acc");
    }, 15_000);
    rmSync(join(dir, "file"));
    await settled(1);
    rmSync(dir, { recursive: true });
    await settled(0);
    cpSync(join(vectors, "dupes"), dir, { recursive: true });
    await settled(3);
  });

  it("checks for a missing folder at most once a second", async () => {
    const names = vi.fn(() => [] as string[]);
    const absent = {
      path: dir,
      names,
      sharedMode: () => undefined,
      removeDrafts: () => [],
      watch: () => undefined,
    } as never;
    const store = createKeystore({ dir, ...runtime, deriver, folder: absent });
    for (let i = 0; i < 5; i++) store.accounts();
    expect(names).toHaveBeenCalledTimes(1);
    await runtime.advance(1000);
    store.accounts();
    expect(names).toHaveBeenCalledTimes(2);
  });
});
