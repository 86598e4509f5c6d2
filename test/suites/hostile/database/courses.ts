import { SimulatedMachine, turns } from "../../../../src/ledger/state/testing/machine.ts";
import { balanceChange, hashOf } from "../../../../src/ledger/state/testing/model.ts";
import {
  createSeededRandomness,
  createSimulatedRuntime,
} from "../../../../src/platform/runtime/simulated.ts";
import { bytesToHex } from "../../../../src/protocol/primitives/hex.ts";
import { hold } from "../row.ts";

/** Maximum steps of a course. */
const STEPS = 80;
/** Maximum time until a working disk is noticed: two of the longest pauses between attempts. */
const RECOVERY_MS = 10_000;
/** Maximum step of the clock, either way. */
const CLOCK_MS = 3_600_000;
const ERRORS = ["ENOSPC", "EIO", "EROFS"];

type Random = (below: number) => number;
type Counts = Record<"blocks" | "faults" | "kills" | "cuts" | "clock steps", number>;

/**
 * Runs sequences of blocks, failing writes, kills, power cuts and clock steps under virtual time, each determined by a seed: the
 * failing one is reported, and `KAIRN_SEED` runs it alone.
 */
export async function runCourses(courses: number, firstSeed: number): Promise<string> {
  const only = process.env["KAIRN_SEED"];
  const [from, count] = only === undefined ? [firstSeed, courses] : [Number(only), 1];
  const all: Counts = { blocks: 0, faults: 0, kills: 0, cuts: 0, "clock steps": 0 };
  for (let seed = from; seed < from + count; seed++)
    await new BlockExecutor(seed, all).run().catch((error: Error) => {
      throw new Error(`KAIRN_SEED=${seed}: ${error.message}`, { cause: error });
    });
  const text = Object.entries(all).map(([name, number]) => `${number} ${name}`);
  return `${count} of ${count} courses held: ${text.join(", ")}`;
}

class BlockExecutor {
  readonly #counts: Counts;
  readonly #random: Random;
  readonly #runtime;
  readonly #machine: SimulatedMachine;
  readonly #roots = new Map<bigint, string>();
  readonly #bytes: (length: number) => Uint8Array;
  #next = 0n;
  #acknowledged = -1n;

  constructor(seed: number, counts: Counts) {
    this.#counts = counts;
    const { bytes } = createSeededRandomness(seed);
    this.#bytes = bytes;
    this.#random = (below) => new DataView(bytes(4).buffer).getUint32(0) % below;
    this.#runtime = createSimulatedRuntime({ seed });
    const history = { recentBlocks: 16, archive: seed % 2 === 0 };
    this.#machine = new SimulatedMachine(history, undefined, this.#runtime.timers);
  }

  async run(): Promise<void> {
    for (let step = 1 + this.#random(STEPS); step > 0; step--) await this.#step(this.#random(16));
    this.#restart("cuts");
  }

  async #step(kind: number): Promise<void> {
    if (kind < 9) this.#block();
    else if (kind === 9) void this.#machine.database.flush().catch(() => {});
    else if (kind === 10) this.#fail();
    else if (kind === 11) this.#setClock();
    else if (kind === 12) await this.#recover();
    else if (kind === 13) this.#restart("kills");
    else if (kind === 14) this.#restart("cuts");
    await turns(this.#random(3));
  }

  #block(): void {
    const { store, database } = this.#machine;
    // Rejected, as by a node.
    if (database.health.now.state !== "healthy") return;
    const number = this.#next;
    const indexes = new Set(Array.from({ length: 1 + this.#random(20) }, () => this.#random(500)));
    const accounts = [...indexes].map((index) => balanceChange(index, number + 2n));
    const staged = store.stage({ accounts, codes: [] });
    this.#roots.set(number, bytesToHex(staged.root));
    const row = { table: "body", key: this.#bytes(8), value: this.#bytes(this.#random(2000)) };
    const { durable } = staged.commit({ number, hash: hashOf(Number(number)) }, [row]);
    this.#next++;
    this.#counts.blocks++;
    const noted = (): void => {
      // Acknowledgements of a machine that has failed are not delivered.
      if (database === this.#machine.database && number > this.#acknowledged) this.#acknowledged = number;
    };
    durable.then(noted, () => {});
  }

  #fail(): void {
    const code = ERRORS[this.#random(ERRORS.length)] as string;
    this.#machine.files.failNextAppend(Object.assign(new Error(`${code}: simulated`), { code }));
    this.#counts.faults++;
  }

  #setClock(): void {
    this.#runtime.setClock(this.#random(2 * CLOCK_MS) - CLOCK_MS);
    this.#counts["clock steps"]++;
  }

  /** Pending writes are written within some time, wherever the clock was set. */
  async #recover(): Promise<void> {
    for (let passed = 0; passed < RECOVERY_MS; passed += 100) {
      await this.#runtime.advance(100);
      await turns(3);
    }
    const { state } = this.#machine.database.health.now;
    hold(state === "healthy", `the disk is ${state} ${RECOVERY_MS} ms after it failed once`);
    const last = this.#next - 1n;
    hold(this.#acknowledged >= last, `block ${last} is not acknowledged after ${RECOVERY_MS} ms`);
  }

  /** A kill keeps what was passed to the system, a power cut any part of what was not synced. */
  #restart(kind: "kills" | "cuts"): void {
    const promised = this.#acknowledged;
    const isCut = kind === "cuts";
    this.#machine.losePower(
      (appending) => (isCut ? this.#random(appending + 1) : appending),
      () => !isCut || this.#random(3) > 0,
    );
    this.#machine.start();
    this.#counts[kind]++;
    const { store } = this.#machine;
    const head = store.head?.number ?? -1n;
    hold(head >= promised, `block ${promised} was acknowledged, the head is ${head}`);
    if (head >= 0n)
      hold(bytesToHex(store.latest().root) === this.#roots.get(head), `another state at block ${head}`);
    store.verify();
    this.#next = head + 1n;
    this.#acknowledged = head;
  }
}
