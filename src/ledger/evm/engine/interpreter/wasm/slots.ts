// Slots that a run has accessed, in linear memory: an open-addressing hash table, cleared between runs. The host loads a slot
// on its first access, and writes all back when the run ends; once the table is full, further slots stay with the host.
import * as word from "./word";
import {
  FLAG_STATIC, FRAME_FLAGS, FRAME_OWNER, FRAMES, MAX_SLOTS, REFUND, RULE_CLEAR, RULE_COLD, RULE_NET, RULE_RESET, RULE_SENTRY, RULE_SET,
  RULE_TOUCH, RULE_WARM, SCOPE, SEED, SLOT_COUNT, SLOT_FLAGS, SLOT_INDEX, SLOT_KEY, SLOT_NOW, SLOT_ORIGINAL, SLOT_OWNER, SLOT_PLACE,
  SLOT_PLACE_BITS, SLOT_SCOPE, SLOT_SIZE, SLOT_WARM, SLOT_WRITTEN, SLOTS, STORAGE_RULES, UNDO_END, UNDO_FLAGS, UNDO_SIZE,
  UNDO_SLOT, UNDO_TOP,
} from "../../layout";

/** Results of `sload` and `sstore`, instead of the gas left, if nothing was done. */
export const ABSENT: i64 = -1;
export const UNPAID: i64 = -2;
export const FORBIDDEN: i64 = -3;

const PLACES: u32 = 1 << SLOT_PLACE_BITS;

/** First position to probe for a slot. */
// @ts-ignore: decorator
@inline function hash(owner: u32, key: usize): u32 {
  const seed = load<u64>(SEED);
  let h = (load<u64>(key) ^ <u64>owner) * seed;
  h = (h ^ (h >> 32) ^ load<u64>(key, 8)) * seed;
  h = (h ^ (h >> 32) ^ load<u64>(key, 16)) * seed;
  h = (h ^ (h >> 32) ^ load<u64>(key, 24)) * seed;
  return <u32>(h >> (64 - SLOT_PLACE_BITS));
}

/** Index entry of a slot, or the free one for it. */
// @ts-ignore: decorator
@inline function placeOf(owner: u32, key: usize): usize {
  let i = hash(owner, key), place: usize = SLOT_INDEX + (i << 2);
  for (let slot = <usize>load<u32>(place); slot; slot = <usize>load<u32>(place)) {
    if (load<u32>(slot, SLOT_OWNER) == owner && word.equal(slot + SLOT_KEY, key)) break;
    i = (i + 1) & (PLACES - 1);
    place = SLOT_INDEX + (i << 2);
  }
  return place;
}

/** The slot of `owner` with the key at `key`, or 0. */
// @ts-ignore: decorator
@inline function findSlot(owner: u32, key: usize): usize {
  return load<u32>(placeOf(owner, key));
}

/**
 * The slot of `owner` with the key at `key`. If it was not there, it is added as the last one, and the host must write its values, flags and
 * number. Returns 0 if the table is full.
 */
export function takeSlot(owner: u32, key: usize): usize {
  const place = placeOf(owner, key), known = <usize>load<u32>(place), count = load<u32>(SLOT_COUNT);
  if (known || count == MAX_SLOTS) return known;
  const slot = <usize>SLOTS + <usize>count * SLOT_SIZE;
  word.copy(slot + SLOT_KEY, key);
  store<u32>(slot, owner, SLOT_OWNER);
  store<u32>(slot, <u32>place, SLOT_PLACE);
  store<u32>(slot, 0, SLOT_SCOPE);
  store<u32>(place, <u32>slot);
  store<u32>(SLOT_COUNT, count + 1);
  return slot;
}

/** Removes all slots. */
export function clearSlots(): void {
  const end = <usize>SLOTS + <usize>load<u32>(SLOT_COUNT) * SLOT_SIZE;
  for (let slot: usize = SLOTS; slot < end; slot += SLOT_SIZE) store<u32>(load<u32>(slot, SLOT_PLACE), 0);
  store<u32>(SLOT_COUNT, 0);
}

/** Adds a slot to the undo log before it changes, once per scope. Changes by the outermost frame are never reverted individually. */
function note(frame: usize, slot: usize): void {
  const scope = load<u32>(SCOPE);
  if (frame == FRAMES || load<u32>(slot, SLOT_SCOPE) == scope) return;
  const top = <usize>load<u32>(UNDO_TOP);
  if (top + UNDO_SIZE > <usize>UNDO_END) unreachable();
  store<u32>(slot, scope, SLOT_SCOPE);
  word.copy(top, slot + SLOT_NOW);
  store<u32>(top, <u32>slot, UNDO_SLOT);
  store<u32>(top, load<u32>(slot, SLOT_FLAGS), UNDO_FLAGS);
  store<u32>(UNDO_TOP, <u32>(top + UNDO_SIZE));
}

/** Reverts all changes of slots since the undo log ended at `mark`. */
export function revertSlots(mark: usize): void {
  let top = <usize>load<u32>(UNDO_TOP);
  while (top > mark) {
    top -= UNDO_SIZE;
    const slot = <usize>load<u32>(top, UNDO_SLOT);
    word.copy(slot + SLOT_NOW, top);
    store<u32>(slot, load<u32>(top, UNDO_FLAGS), SLOT_FLAGS);
  }
  store<u32>(UNDO_TOP, <u32>top);
}

/** SLOAD: replaces the key at `key` by the value. Returns the gas left of `gas`, or one of the results above. */
export function sload(frame: usize, key: usize, gas: i64): i64 {
  const slot = findSlot(load<u32>(frame, FRAME_OWNER), key);
  if (!slot) return ABSENT;
  const coldGas = load<u32>(STORAGE_RULES, RULE_COLD);
  if (coldGas) {
    const flags = load<u32>(slot, SLOT_FLAGS), isWarm = flags & SLOT_WARM;
    gas -= <i64>(isWarm ? load<u32>(STORAGE_RULES, RULE_WARM) : coldGas);
    if (gas < 0) return UNPAID;
    if (!isWarm) {
      note(frame, slot);
      store<u32>(slot, flags | SLOT_WARM, SLOT_FLAGS);
    }
  }
  word.copy(key, slot + SLOT_NOW);
  return gas;
}

/** SSTORE of the word at `value`. Returns the gas left of `gas`, or one of the results above. */
export function sstore(frame: usize, key: usize, value: usize, gas: i64): i64 {
  if (gas <= <i64>load<i32>(STORAGE_RULES, RULE_SENTRY)) return UNPAID;
  const slot = findSlot(load<u32>(frame, FRAME_OWNER), key);
  if (!slot) return ABSENT;
  const flags = load<u32>(slot, SLOT_FLAGS), coldGas = load<u32>(STORAGE_RULES, RULE_COLD);
  const isCold = coldGas != 0 && !(flags & SLOT_WARM), isSame = word.equal(slot + SLOT_NOW, value);
  refund = 0;
  gas -= load<u32>(STORAGE_RULES, RULE_NET) ? netGas(slot, value, isSame) : plainGas(slot, value);
  if (isCold) gas -= <i64>coldGas;
  if (gas < 0) return UNPAID;
  if (load<u32>(frame, FRAME_FLAGS) & FLAG_STATIC) return FORBIDDEN;
  store<i64>(REFUND, load<i64>(REFUND) + refund);
  if (!isCold && isSame) return gas;
  note(frame, slot);
  store<u32>(slot, flags | (coldGas ? SLOT_WARM : 0) | (isSame ? 0 : SLOT_WRITTEN), SLOT_FLAGS);
  if (!isSame) word.copy(slot + SLOT_NOW, value);
  return gas;
}

/** Refund set by `netGas` and `plainGas`. */
let refund: i64 = 0;

// @ts-ignore: decorator
@inline function rule(at: i32): i64 { return <i64>load<u32>(STORAGE_RULES + at); }

/** Gas by the current and the new value alone. */
function plainGas(slot: usize, value: usize): i64 {
  const wasZero = word.isZero(slot + SLOT_NOW), becomesZero = word.isZero(value);
  if (wasZero && !becomesZero) return rule(RULE_SET);
  if (!wasZero && becomesZero) refund = rule(RULE_CLEAR);
  return rule(RULE_RESET);
}

/** Gas by the original, the current and the new value. @see EIP-2200, EIP-3529 */
function netGas(slot: usize, value: usize, isSame: bool): i64 {
  if (isSame) return rule(RULE_TOUCH);
  const original = slot + SLOT_ORIGINAL, now = slot + SLOT_NOW;
  const wasZero = word.isZero(original), becomesZero = word.isZero(value);
  if (word.equal(original, now)) {
    if (wasZero) return rule(RULE_SET);
    if (becomesZero) refund = rule(RULE_CLEAR);
    return rule(RULE_RESET);
  }
  if (!wasZero) {
    if (word.isZero(now)) refund = -rule(RULE_CLEAR);
    else if (becomesZero) refund = rule(RULE_CLEAR);
  }
  if (word.equal(original, value)) refund += rule(wasZero ? RULE_SET : RULE_RESET) - rule(RULE_TOUCH);
  return rule(RULE_TOUCH);
}
