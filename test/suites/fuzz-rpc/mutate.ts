import type { Random } from "./random.ts";

const PIECES = [
  ...['"', "{", "}", "[", "]", ",", ":", "\\", "\\u", "\\ud800", "\0", "\n", "\ufeff", "\u2028", "é"],
  ...[
    "null",
    "true",
    "1e999",
    "-0",
    "0.",
    "01",
    "NaN",
    "99999999999999999999999999",
    "9".repeat(400),
    `-${"9".repeat(400)}`,
    '"method":"net_version","method":"eth_chainId",',
    "\ud800\udfff\udfff",
    '"__proto__":',
    "{}",
    "[]",
  ],
  ...[
    '{"id":[]}',
    '"id":{},',
    '"method":1,',
    '"jsonrpc":"1.0",',
    '"params":{},',
    "[".repeat(2000),
    `${"[".repeat(10_000)}${"]".repeat(10_000)}`,
    `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`,
    `${"[".repeat(40_000)}${"]".repeat(40_000)}`,
    '{"a":'.repeat(500),
  ],
];

/** A text with a few places changed. */
export function mutatedText(random: Random, text: string): string {
  let changed = text;
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(changed.length + 1);
    const length = random.pick([0, 0, 1, 1, 5, 50]);
    const piece = random.chance(0.2) ? "" : random.chance(0.1) ? changed.slice(0, at) : random.pick(PIECES);
    changed = changed.slice(0, at) + piece + changed.slice(at + length);
  }
  return changed.slice(0, 200_000);
}

/** Bytes with a few of them changed, cut or duplicated. */
export function mutatedBytes(random: Random, bytes: Buffer): Buffer {
  let changed = Buffer.from(bytes);
  for (let times = 1 + random.below(5); times > 0; times--) {
    const at = random.below(changed.length + 1);
    switch (random.below(4)) {
      case 0:
        if (at < changed.length) changed[at] = random.below(256);
        break;
      case 1:
        changed = Buffer.concat([
          changed.subarray(0, at),
          random.bytes(1 + random.below(8)),
          changed.subarray(at),
        ]);
        break;
      case 2:
        changed = Buffer.concat([changed.subarray(0, at), changed.subarray(at + random.below(20))]);
        break;
      default:
        changed = Buffer.concat([changed.subarray(0, at), changed]);
    }
    if (changed.length > 100_000) changed = changed.subarray(0, 100_000);
  }
  return changed;
}
