import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, bench, describe } from "vitest";
import { type EngineName, engines } from "../src/ledger/database/engines.ts";
import { createStateStore } from "../src/ledger/state/create-state-store.ts";
import type { AccountChange, StateStore } from "../src/ledger/state/state.ts";
import { systemRuntime } from "../src/platform/runtime/system.ts";
import { newEoa } from "../src/protocol/account/account.ts";
import { ZERO_HASH } from "../src/protocol/primitives/bytes.ts";

const { files, timers } = systemRuntime;

// Time of one run divided by the number of touched accounts is the cost per account: reading it, hashing it into the
// trie, the log, and its share of the flushes that happen meanwhile.

const ACCOUNTS = 100_000;
const FILL = 20_000;
const bodies = new Map([3, 200, 1000].map((touched) => [touched, new Uint8Array(touched * 110)]));

const address = (index: number): Uint8Array => {
  const bytes = new Uint8Array(20);
  new DataView(bytes.buffer).setUint32(16, index);
  return bytes;
};
let seed = 7;
const random = (below: number): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed % below;
};

function touch(store: StateStore, indexes: Iterable<number>): AccountChange[] {
  const state = store.latest();
  return Array.from(indexes, (index) => {
    const account = state.account(address(index)) ?? newEoa(10n ** 18n);
    return {
      address: address(index),
      account: { ...account, nonce: account.nonce + 1n },
      storageCleared: false,
      storage: [],
    };
  });
}

function commit(store: StateStore, indexes: Iterable<number>, body = new Uint8Array(0)): Promise<void> {
  const number = (store.head?.number ?? -1n) + 1n;
  const row = { table: "body", key: Uint8Array.of(Number(number & 0xffn)), value: body };
  const staged = store.stage({ accounts: touch(store, indexes), codes: [] });
  return staged.commit({ number, hash: ZERO_HASH }, [row]).durable;
}

for (const engine of Object.keys(engines) as EngineName[]) {
  const directory = mkdtempSync(join(tmpdir(), "kairn-bench-state-"));
  const store = await createStateStore({ engine, directory, files, timers });
  for (let start = 0; start < ACCOUNTS; start += FILL)
    await commit(
      store,
      Array.from({ length: FILL }, (_, i) => start + i),
    );

  describe(`${engine}: a block over ${ACCOUNTS} accounts, until it is durable`, () => {
    afterAll(async () => {
      await store.close();
      rmSync(directory, { recursive: true });
    });
    for (const [touched, body] of bodies)
      bench(`${touched} accounts`, () => {
        const indexes = new Set<number>();
        while (indexes.size < touched) indexes.add(random(ACCOUNTS));
        return commit(store, indexes, body);
      });
    bench("read an account", () => void store.latest().account(address(random(ACCOUNTS))));
    bench("read an account 20 blocks ago", () => {
      store.at((store.head?.number ?? 0n) - 20n)?.account(address(random(ACCOUNTS)));
    });
    bench("prove an account", () => void store.latest().proveAccount(address(random(ACCOUNTS))));
  });
}
