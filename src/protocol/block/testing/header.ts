import { EMPTY_BYTES, ZERO_ADDRESS, ZERO_HASH } from "../../primitives/bytes.ts";
import { EMPTY_BLOOM } from "../bloom.ts";
import type { Header } from "../header.ts";

/** A placeholder header: number 0, block score 1, all else zero or empty. */
export function emptyHeader(): Header {
  return {
    parentHash: ZERO_HASH,
    rewardbase: ZERO_ADDRESS,
    stateRoot: ZERO_HASH,
    transactionsRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    bloom: EMPTY_BLOOM,
    blockScore: 1n,
    number: 0n,
    gasUsed: 0n,
    time: 0n,
    timeFoS: 0,
    extra: EMPTY_BYTES,
    governance: EMPTY_BYTES,
    vote: EMPTY_BYTES,
  };
}
