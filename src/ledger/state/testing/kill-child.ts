import { writeSync } from "node:fs";
import { createSeededRandomness } from "../../../platform/runtime/simulated.ts";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { openDatabase } from "../../database/open-database.ts";
import type { AccountChange } from "../state.ts";
import { DatabaseStateStore } from "../store/database-state-store.ts";
import { balanceChange, contractChange, hashOf } from "./model.ts";

const { files, timers } = systemRuntime;

// Writes blocks, with rewinds, until it is killed. Prints `state <sequence> <number> <root>` for each record before it is
// durable and `ack <sequence>` after. Arguments: folder, seed.

const [directory, seed] = process.argv.slice(2) as [string, string];
const { bytes } = createSeededRandomness(Number(seed));
const random = (below: number): number => new DataView(bytes(4).buffer).getUint32(0) % below;
const print = (line: string): void => void writeSync(1, `${line}\n`);

const database = await openDatabase({ engine: "lmdb", directory, files, timers }, { flushBytes: 600_000 });
const store = new DatabaseStateStore(database, { recentBlocks: 64, archive: Number(seed) % 2 === 0 });

function announce(durable: Promise<void>): Promise<void> {
  const { sequence } = database;
  const head = store.head as { number: bigint; root: Uint8Array };
  print(`state ${sequence} ${head.number} ${bytesToHex(head.root)}`);
  return durable.then(() => print(`ack ${sequence}`));
}

function changes(): AccountChange[] {
  const byAddress = new Map<string, AccountChange>();
  for (let i = 0, count = 1 + random(200); i < count; i++) {
    const slots = Array.from({ length: random(5) }, () => [random(500), random(300)] as const);
    const account = random(5000);
    const change =
      account < 10
        ? contractChange(account, slots, random(40) === 0)
        : balanceChange(account, BigInt(random(4)));
    byAddress.set(bytesToHex(change.address), change);
  }
  return [...byAddress.values()];
}

function nextBlock(): Promise<void> {
  const number = (store.head?.number ?? -1n) + 1n;
  const row = { table: "body", key: Uint8Array.of(random(200)), value: bytes(random(3000)) };
  return store.stage({ accounts: changes(), codes: [] }).commit({ number, hash: hashOf(number) }, [row])
    .durable;
}

function goBack(): Promise<void> {
  const number = (store.head?.number as bigint) - 1n - BigInt(random(4));
  return store.rewind({ number, hash: hashOf(number) }, []).durable;
}

print("open");
const inFlight = new Set<Promise<void>>();
for (;;) {
  const isBack = (store.head?.number ?? 0n) > 20n && random(25) === 0;
  const acknowledged = announce(isBack ? goBack() : nextBlock());
  inFlight.add(acknowledged);
  acknowledged.then(() => inFlight.delete(acknowledged));
  if (inFlight.size > 6) await Promise.race(inFlight);
}
