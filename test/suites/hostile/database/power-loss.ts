import { SimulatedMachine, turns } from "../../../../src/ledger/state/testing/machine.ts";
import { balanceChange, hashOf } from "../../../../src/ledger/state/testing/model.ts";
import { createSeededRandomness } from "../../../../src/platform/runtime/simulated.ts";
import { bytesToHex } from "../../../../src/protocol/primitives/hex.ts";
import { hold } from "../row.ts";

/** Maximum blocks before the power fails. */
const BLOCKS = 40;

/**
 * Cuts the power of machines at a random moment of writing blocks, several of them in one write, with any subset of the
 * sectors that were not synced on the disk. One seed is one course of events.
 */
export async function losePower(cuts: number, firstSeed: number): Promise<string> {
  let torn = 0;
  let replayed = 0;
  for (let seed = firstSeed; seed < firstSeed + cuts; seed++) {
    const found = await cut(seed).catch((error: Error) => {
      throw new Error(`seed ${seed}: ${error.message}`, { cause: error });
    });
    torn += found.truncatedBytes > 0 ? 1 : 0;
    replayed += found.replayed;
  }
  return `${cuts} of ${cuts} cuts held, ${torn} with a torn end, ${replayed} records replayed`;
}

async function cut(seed: number): Promise<{ readonly truncatedBytes: number; readonly replayed: number }> {
  const { bytes } = createSeededRandomness(seed);
  const random = (below: number): number => new DataView(bytes(4).buffer).getUint32(0) % below;
  const machine = new SimulatedMachine({ recentBlocks: 16, archive: seed % 2 === 0 });
  const roots = new Map<bigint, string>();
  let acknowledged = -1n;
  const blocks = 1 + random(BLOCKS);
  for (let number = 0n; number < blocks; number++) {
    const accounts = Array.from({ length: 1 + random(20) }, (_, i) =>
      balanceChange(100 * i + random(100), number + 2n),
    );
    const unique = [...new Map(accounts.map((change) => [bytesToHex(change.address), change])).values()];
    const staged = machine.store.stage({ accounts: unique, codes: [] });
    roots.set(number, bytesToHex(staged.root));
    const row = { table: "body", key: bytes(8), value: bytes(random(2000)) };
    const { durable } = staged.commit({ number, hash: hashOf(Number(number)) }, [row]);
    void durable.then(() => {
      acknowledged = number;
    });
    if (random(9) === 0) void machine.database.flush();
    await turns(random(3));
  }
  const promised = acknowledged;
  machine.losePower(
    (appending) => random(appending + 1),
    () => random(3) > 0,
  );
  machine.start();
  const head = machine.store.head?.number ?? -1n;
  hold(head >= promised, `block ${promised} was acknowledged, the head is ${head}`);
  if (head >= 0n)
    hold(bytesToHex(machine.store.latest().root) === roots.get(head), `another state at block ${head}`);
  machine.store.verify();
  return machine.store.stats();
}
