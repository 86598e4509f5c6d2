import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { hexToBytes } from "../../../src/protocol/primitives/hex.ts";

/** Maximum length of mutated transactions: longer ones add nothing. */
const MAX_LENGTH = 700;
/** RLP tags at the boundaries of their kinds, and transaction types. */
const TAGS = [0x00, 0x01, 0x7f, 0x80, 0x81, 0xb7, 0xb8, 0xbf, 0xc0, 0xc1, 0xf7, 0xf8, 0xff, 0x78, 0x02, 0x31];

/** A seeded generator of 32-bit numbers. @see mulberry32 */
export function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
}

/** Real transactions of every type: from the vectors, and from the recorded chain of all types. */
function realTransactions(): readonly Uint8Array[] {
  const file = (path: string): Buffer =>
    readFileSync(fileURLToPath(new URL(`../../fixtures/${path}`, import.meta.url)));
  const { cases } = JSON.parse(file("vectors/transactions.json").toString()) as { cases: { raw: string }[] };
  const chain = JSON.parse(gunzipSync(file("chains/all-types/txs.json.gz")).toString()) as object;
  const raws = [
    ...cases.map(({ raw }) => raw),
    ...JSON.stringify(chain).matchAll(/"raw":"(0x[0-9a-f]+)"/g),
  ].map((found) => (typeof found === "string" ? found : (found[1] as string)));
  return [...new Set(raws)].map(hexToBytes).filter(({ length }) => length <= MAX_LENGTH);
}

/** Transactions with something changed, inserted, cut off, duplicated or moved. */
export function* mutatedTransactions(count: number, seed: number): Generator<Uint8Array> {
  const sources = realTransactions();
  const next = numbersOf(seed);
  for (let i = 0; i < count; i++) {
    const bytes = [...(sources[next() % sources.length] as Uint8Array)];
    for (let changes = 1 + (next() % 3); changes > 0; changes--) mutate(bytes, next);
    yield Uint8Array.from(bytes);
  }
}

function mutate(bytes: number[], next: () => number): void {
  const at = next() % (bytes.length + 1);
  const tag = TAGS[next() % TAGS.length] as number;
  const kind = next() % 10;
  if (kind < 3) bytes[Math.min(at, bytes.length - 1)] = next() & 0xff;
  else if (kind === 3) bytes[Math.min(at, bytes.length - 1)] = tag;
  else if (kind === 4) bytes[at % 12] = tag;
  else if (kind === 5) bytes.splice(at, 0, tag);
  else if (kind === 6) bytes.splice(at, 1 + (next() % 3));
  else if (kind === 7) bytes.push(next() & 0xff);
  else if (kind === 8) bytes[at % bytes.length] = ((bytes[at % bytes.length] ?? 0) + 1) & 0xff;
  else bytes[0] = next() % 0x80;
  if (bytes.length === 0) bytes.push(tag);
}
