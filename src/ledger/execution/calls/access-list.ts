import type { Address } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { AccessListEntry } from "../../../protocol/transaction/transaction.ts";
import type { Tracer } from "../../evm/evm.ts";
import { warmPrecompiles } from "../../evm/precompiles/index.ts";
import { Op } from "../../evm/tables/op.ts";
import type { BlockEnvironment, TransactionOptions } from "../environment.ts";
import type { AccessListWork, FoundAccessList } from "../job.ts";
import { call } from "./call.ts";
import { SeenWords } from "./seen-words.ts";

const ON_TOP: ReadonlySet<number> = new Set([
  Op.balance,
  Op.extCodeSize,
  Op.extCodeCopy,
  Op.extCodeHash,
  Op.selfDestruct,
]);
const BELOW_TOP: ReadonlySet<number> = new Set([Op.call, Op.callCode, Op.delegateCall, Op.staticCall]);
/** Rounds after which a list that keeps changing is returned as it is. */
const MAX_ROUNDS = 16;

/** Accessed accounts with their accessed slots, all as hex. */
type Touched = Map<string, Set<string>>;

/**
 * Computes the access list of a call by rerunning it with the list so far, until nothing new is accessed.
 * @param begin - returns the block with a fresh state, for each round
 * @throws CallError, EvmTimeout, BudgetSpent
 */
export function findAccessList(
  { request, excluded }: AccessListWork,
  begin: () => BlockEnvironment,
  limits: TransactionOptions,
): FoundAccessList {
  let list: readonly AccessListEntry[] = entriesOf(startWith(request.accessList ?? [], excluded));
  for (let round = 0; ; round++) {
    const touched = startWith(list, excluded);
    const block = begin();
    const warm = warmPrecompiles(block.context.rules);
    // The reference leaves the cost of the list itself out of the returned gas.
    const attempt = { ...request, accessList: list, isListFree: true };
    const tracer = tracerOf(touched, excluded, warm);
    const { error, gasUsed } = call(attempt, block, { ...limits, tracer });
    const found = entriesOf(touched);
    if (round >= MAX_ROUNDS || sameSize(found, list)) return { list, error, gasUsed };
    list = found;
  }
}

/** @param warm - numeric addresses of the precompiles; other reserved addresses are as cold as any */
function tracerOf(touched: Touched, excluded: ReadonlySet<string>, warm: ReadonlySet<number>): Tracer {
  const seen = new SeenWords();
  return {
    hostOpcode(step) {
      const { op, address, limbs } = step;
      const isSlot = op === Op.sload || op === Op.sstore;
      const depth = isSlot || ON_TOP.has(op) ? 0 : BELOW_TOP.has(op) ? 1 : -1;
      const place = depth < 0 ? -1 : step.wordIndex(depth);
      if (place < 0 || seen.has(limbs, place, isSlot ? address : undefined)) return;
      const word = step.word(depth) as bigint;
      if (isSlot) touchSlot(touched, address, word);
      else touchAccount(touched, BigInt.asUintN(160, word), { excluded, warm });
    },
  };
}

function touchSlot(touched: Touched, address: Address, slot: bigint): void {
  const hex = bytesToHex(address);
  const slots = touched.get(hex) ?? new Set<string>();
  touched.set(hex, slots.add(`0x${slot.toString(16).padStart(64, "0")}`));
}

function touchAccount(
  touched: Touched,
  address: bigint,
  { excluded, warm }: { excluded: ReadonlySet<string>; warm: ReadonlySet<number> },
): void {
  const hex = `0x${address.toString(16).padStart(40, "0")}`;
  if (!warm.has(Number(address)) && !excluded.has(hex) && !touched.has(hex)) touched.set(hex, new Set());
}

/** The contents of a list, with entries of the same account merged, and without excluded accounts that have no slots. */
function startWith(list: readonly AccessListEntry[], excluded: ReadonlySet<string>): Touched {
  const touched: Touched = new Map();
  for (const { address, storageKeys } of list) {
    const hex = bytesToHex(address);
    if (excluded.has(hex) && storageKeys.length === 0) continue;
    const slots = touched.get(hex) ?? new Set<string>();
    for (const key of storageKeys) slots.add(bytesToHex(key));
    touched.set(hex, slots);
  }
  return touched;
}

function entriesOf(touched: Touched): AccessListEntry[] {
  return [...touched].map(([address, slots]) => ({
    address: hexToBytes(address),
    storageKeys: [...slots].map(hexToBytes),
  }));
}

/** Lists only grow from round to round, so equal sizes mean equal lists. */
function sameSize(a: readonly AccessListEntry[], b: readonly AccessListEntry[]): boolean {
  const size = (list: readonly AccessListEntry[]) =>
    list.reduce((sum, entry) => sum + 1 + entry.storageKeys.length, 0);
  return size(a) === size(b);
}
