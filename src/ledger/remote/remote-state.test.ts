import { describe, expect, it } from "vitest";
import { newContract } from "../../protocol/account/account.ts";
import { bigintToFixedBytes } from "../../protocol/primitives/bytes.ts";
import { retryUntilLoadedAsync } from "../state/missing-state.ts";
import { ForkCache } from "./fork-cache.ts";
import type { RemoteSource } from "./remote-source.ts";
import { RemoteState } from "./remote-state.ts";

const ADDRESS = new Uint8Array(20).fill(0xaa);
const CONTRACT = { ...newContract(), storageRoot: new Uint8Array(32).fill(1) };
const slotAt = (n: number) => bigintToFixedBytes(BigInt(n), 32);

/** A state of a remote node, and how many keys each of its requests was for. */
function setUp() {
  const requests = { accounts: [] as number[], slots: [] as number[], hashes: [] as number[] };
  const faults: Error[] = [];
  const seen = (to: number[], count: number) => {
    to.push(count);
    const fault = faults.shift();
    if (fault !== undefined) throw fault;
  };
  const source: RemoteSource = {
    async accounts(addresses) {
      seen(requests.accounts, addresses.length);
      return addresses.map(() => ({ account: CONTRACT, code: new Uint8Array(0) }));
    },
    async slots(slots) {
      seen(requests.slots, slots.length);
      return slots.map(({ slot }) => slot.subarray(31));
    },
    async hashes(numbers) {
      seen(requests.hashes, numbers.length);
      return numbers.map((number) => slotAt(Number(number)));
    },
  };
  return { state: new RemoteState(source, new ForkCache(undefined)), requests, faults };
}

describe("what calls made at once read of a remote state", () => {
  it("is fetched in batches, and once", async () => {
    const { state, requests } = setUp();
    const slots = [...Array(50).keys(), ...Array(50).keys()];
    const read = () =>
      Promise.all(slots.map((n) => retryUntilLoadedAsync(() => state.storage(ADDRESS, slotAt(n))[0])));
    expect(await read()).toEqual(slots);
    expect(await read()).toEqual(slots);
    expect(requests).toEqual({ accounts: [1], slots: [50], hashes: [] });
  });

  it("is requested 100 at a time", async () => {
    const { state, requests } = setUp();
    const numbers = Array.from({ length: 250 }, (_, n) => BigInt(n));
    const read = numbers.map((number) => retryUntilLoadedAsync(() => state.blockHash(number)));
    expect(await Promise.all(read)).toEqual(numbers.map((number) => slotAt(Number(number))));
    expect(requests).toEqual({ accounts: [], slots: [], hashes: [100, 100, 50] });
  });

  it("is requested again after a failure", async () => {
    const { state, requests, faults } = setUp();
    faults.push(new Error("no answer"));
    const read = () => retryUntilLoadedAsync(() => state.account(ADDRESS));
    await expect(Promise.all([read(), read()])).rejects.toThrow("no answer");
    expect(await read()).toEqual(CONTRACT);
    expect(requests.accounts).toEqual([1, 1]);
  });

  it("is not requested if it was fetched ahead", async () => {
    const { state, requests } = setUp();
    await state.prefetch([ADDRESS, new Uint8Array(20)]);
    await state.prefetchSlots(ADDRESS, [slotAt(1), slotAt(2)]);
    await state.prefetchSlots(ADDRESS, [slotAt(2), slotAt(3)]);
    expect([1, 2, 3].map((n) => state.storage(ADDRESS, slotAt(n))[0])).toEqual([1, 2, 3]);
    expect(requests).toEqual({ accounts: [2], slots: [2, 1], hashes: [] });
  });
});
