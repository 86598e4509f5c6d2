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
