import { expect, it } from "vitest";
import { createSimulatedFiles } from "../../platform/runtime/simulated/files.ts";
import { newContract } from "../../protocol/account/account.ts";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { ForkCache } from "./fork-cache.ts";

const ADDRESS = `0x${"aa".repeat(20)}`;
const CODE = Uint8Array.of(0x60, 0x01);
const CONTRACT = { ...newContract(7n, 0x10), nonce: 1n, codeHash: keccak256(CODE) };

it("is persisted across restarts, except for a line truncated by a crash", async () => {
  const file = { files: createSimulatedFiles(), path: "cache" };
  const first = new ForkCache(file);
  first.addAccount(ADDRESS, CONTRACT, CODE);
  first.addAccount("0xbb", undefined, new Uint8Array(0));
  first.addSlot(`${ADDRESS}0x01`, Uint8Array.of(5));
  first.addHash("12", keccak256(CODE));
  expect([first.markPrefetched("x"), first.markPrefetched("x")]).toEqual([true, false]);
  await first.close();
  const append = file.files.openAppend("cache");
  await append.append(new TextEncoder().encode('{"slot":"0xcc","val'));
  append.close();

  const second = new ForkCache(file);
  expect(second.account(ADDRESS)).toEqual(CONTRACT);
  expect([second.account("0xbb"), second.account("0xdd")]).toEqual([null, undefined]);
  expect(second.code(bytesToHex(CONTRACT.codeHash))).toEqual(CODE);
  expect(second.slot(`${ADDRESS}0x01`)).toEqual(Uint8Array.of(5));
  expect(second.hash("12")).toEqual(keccak256(CODE));
  expect([second.slot("0xcc"), second.markPrefetched("x")]).toEqual([undefined, false]);
  await second.close();
});

const slots = (cache: ForkCache, from: number, to: number) => {
  for (let n = from; n < to; n++) cache.addSlot(`${ADDRESS}${n}`, Uint8Array.of(n));
};

it("is read past lines that are no entries, and has an end in memory and in its file", async () => {
  const file = { files: createSimulatedFiles(), path: "cache" };
  const text = 'null\n1\n{"account":"0xaa","value":"0xzz"}\n{"slot":"0xbb","value":"0x01"}\n';
  await file.files.replace("cache", new TextEncoder().encode(text));
  const limits = { memory: 1_000, file: text.length + 200 };
  const cache = new ForkCache(file, limits);
  expect(cache.slot("0xbb")).toEqual(Uint8Array.of(1));
  expect(cache.hasRoom).toBe(true);
  for (let n = 0; n < 4; n++) {
    slots(cache, n, n + 1);
    await Promise.resolve();
  }
  await cache.close();
  expect(cache.hasRoom).toBe(false);
  expect(file.files.read("cache").length).toBeLessThanOrEqual(limits.file);
  expect(file.files.read("cache").length).toBeGreaterThan(text.length);
  const code = new ForkCache(undefined, { memory: 2_000, file: 0 });
  code.addAccount(ADDRESS, CONTRACT, new Uint8Array(2_000));
  expect(code.hasRoom).toBe(false);
});

it("counts what was prefetched, too, and prefetches nothing once it is full", () => {
  const cache = new ForkCache(undefined, { memory: 1_000, file: 0 });
  const marked = Array.from({ length: 10 }, (_, n) => cache.markPrefetched(`${ADDRESS}${n}`));
  expect(marked.filter(Boolean)).toHaveLength(4);
  expect([cache.hasRoom, cache.markPrefetched(`${ADDRESS}9`)]).toEqual([false, false]);
});

it("adds nothing to the file that is from another node", async () => {
  const file = { files: createSimulatedFiles(), path: "cache" };
  const cache = new ForkCache(file);
  slots(cache, 0, 1);
  await Promise.resolve();
  cache.keepNoMore();
  slots(cache, 1, 2);
  await cache.close();
  const next = new ForkCache(file);
  expect([next.slot(`${ADDRESS}0`), next.slot(`${ADDRESS}1`)]).toEqual([Uint8Array.of(0), undefined]);
  expect(cache.slot(`${ADDRESS}1`)).toEqual(Uint8Array.of(1));
});
