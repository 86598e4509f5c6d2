// EVM memory: regions accessed by opcodes, gas of expansion, copies with zero padding.
import { FRAME_MEMORY, FRAME_MEMORY_SIZE } from "../../layout";
import * as word from "./word";

/** Results of `region`: offset and size in EVM memory, memory size afterwards. */
export let regionOffset: usize = 0;
export let regionSize: u32 = 0;
export let newSize: u32 = 0;

/** Result of `region` if no amount of gas suffices and the reference computes none; where it does, that amount, negated. */
export const UNPAYABLE: i64 = -1;
/** Result of `region` if an offset or end exceeds 64 bits. */
export const OVERFLOW: i64 = -2;

/** Maximum memory in words: 2 GiB. Its gas, 2^43, is far more than any transaction may have. */
const MAX_WORDS: u64 = 0x4000000;

/** Words up to which the reference computes the gas, which traces show. */
const MAX_PRICED_WORDS: u64 = 0xffffffff;

/** Maximum end of linear memory. */
const LAST_BYTE: u64 = 0xffff0000;

/** Extra growth, so that growing is rare. */
const SLACK: u64 = 0x100000;

const SCRATCH: usize = 0x3e0;

/** A word as u64, or the maximum if it does not fit. */
// @ts-ignore: decorator
@inline export function clamp64(p: usize): u64 {
  return word.fits64(p) ? load<u64>(p) : u64.MAX_VALUE;
}

/** Whether the 32 bytes at the offset in a stack word are within a memory of `size` bytes, as in most cases. */
// @ts-ignore: decorator
@inline export function isInside(size: u32, offsetWord: usize): bool {
  const offset = load<u64>(offsetWord);
  return (load<u64>(offsetWord, 8) | load<u64>(offsetWord, 16) | load<u64>(offsetWord, 24) | (offset >> 32)) == 0 && offset + 32 <= <u64>size;
}

// @ts-ignore: decorator
@inline function price(words: u64, have: u64): i64 {
  return <i64>(3 * (words - have) + ((words * words) >> 9) - ((have * have) >> 9));
}

/** Gas of expanding memory from `size` to hold [offset, offset + length); sets the results above. */
export function region(size: u32, offsetWord: usize, length: u64): i64 {
  regionOffset = 0;
  regionSize = 0;
  newSize = size;
  if (length == 0) return 0;
  if (!word.fits64(offsetWord)) return OVERFLOW;
  const offset = load<u64>(offsetWord), end = offset + length;
  if (end < offset || end > u64.MAX_VALUE - 31) return OVERFLOW;
  const words = (end + 31) >> 5;
  if (words > MAX_WORDS) return words > MAX_PRICED_WORDS ? UNPAYABLE : -price(words, <u64>(size >> 5));
  regionOffset = <usize>offset;
  regionSize = <u32>length;
  const have = <u64>(size >> 5);
  if (words <= have) return 0;
  newSize = <u32>(words << 5);
  return price(words, have);
}

/** `region` with offset and length as stack words. */
// @ts-ignore: decorator
@inline export function wordRegion(size: u32, offsetWord: usize, lengthWord: usize): i64 {
  return word.fits64(lengthWord) ? region(size, offsetWord, load<u64>(lengthWord)) : OVERFLOW;
}

/** Gas per word of `size` bytes. */
// @ts-ignore: decorator
@inline export function perWord(size: u32, gas: i64): i64 {
  return gas * <i64>((<u64>size + 31) >> 5);
}

/** Zero-fills the memory at `base` from `from` to `to`, growing the linear memory if needed. */
export function grow(base: usize, from: u32, to: u32): void {
  const end = <u64>base + <u64>to, have = <u64>memory.size() << 16;
  if (end > have) {
    if (end > LAST_BYTE) unreachable();
    const wanted = min(end + SLACK, LAST_BYTE);
    if (memory.grow(<i32>((wanted - have + 0xffff) >> 16)) < 0) unreachable();
  }
  memory.fill(base + from, 0, to - from);
}

/** Expands the memory of a frame to `to` bytes if it is smaller. */
export function growFrame(frame: usize, to: u32): void {
  const size = load<u32>(frame, FRAME_MEMORY_SIZE);
  if (to <= size) return;
  grow(load<usize>(frame, FRAME_MEMORY), size, to);
  store<u32>(frame, to, FRAME_MEMORY_SIZE);
}

/** Copies `length` bytes from `source` at the offset in a stack word, zero-padded beyond the end of the source. */
export function copyPadded(to: usize, source: usize, sourceSize: u32, offsetWord: usize, length: u32): void {
  const offset = clamp64(offsetWord);
  let n: u32 = 0;
  if (offset < <u64>sourceSize) {
    n = min(sourceSize - <u32>offset, length);
    memory.copy(to, source + <usize>offset, n);
  }
  memory.fill(to + n, 0, length - n);
}

/** Replaces the offset in a stack word by the 32 bytes of `source` at it, zero-padded beyond its end. */
export function loadPadded(top: usize, source: usize, sourceSize: u32): void {
  const offset = clamp64(top);
  if (offset < <u64>sourceSize && offset + 32 <= <u64>sourceSize) {
    word.swapBytes(top, source + <usize>offset);
    return;
  }
  memory.fill(SCRATCH, 0, 32);
  if (offset < <u64>sourceSize) memory.copy(SCRATCH, source + <usize>offset, sourceSize - <u32>offset);
  word.swapBytes(top, SCRATCH);
}
