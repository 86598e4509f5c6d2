import { blockHash } from "../../../../src/protocol/block/hash.ts";
import type { Header } from "../../../../src/protocol/block/header.ts";
import { type Attacker, meet, type Target } from "./attacker.ts";

/** A peer that claims a million blocks, and serves headers forged by `forge` after the real ones. */
export async function lie(
  target: Target,
  seed: number,
  forge: (real: Header) => readonly Header[],
): Promise<Attacker> {
  let real: readonly Header[] = [];
  const waiting: bigint[] = [];
  const answer = (number: bigint, attacker: Attacker): void => {
    const known = real.find((header) => header.number === number);
    const last = real.at(-1);
    const forged = last && number > last.number ? forge(last) : [];
    attacker.send("headers", known ? [known] : forged);
  };
  return meet(target, seed, {
    head: 1_000_000n,
    onMessage(name, value, attacker) {
      if (name === "status") {
        attacker.send("headersRequest", { origin: { number: 0n }, amount: 192n, skip: 0n, reverse: false });
      } else if (name === "headers") {
        real = value as readonly Header[];
        for (const number of waiting.splice(0)) answer(number, attacker);
      } else if (name === "headersRequest") {
        const { number } = (value as { origin: { number: bigint } }).origin;
        if (real.length === 0) waiting.push(number);
        else answer(number, attacker);
      }
    },
  });
}

/** Headers that follow from a real one, without valid seals. */
export function forgedAfter(header: Header): readonly Header[] {
  const headers: Header[] = [];
  for (let last = header; headers.length < 192; last = headers.at(-1) as Header) {
    headers.push({ ...last, number: last.number + 1n, time: last.time + 1n, parentHash: blockHash(last) });
  }
  return headers;
}

/** A header without a known parent. */
export function unlinked(header: Header): readonly Header[] {
  return [{ ...header, number: header.number + 1n }];
}
