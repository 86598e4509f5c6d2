import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { kaiaRuleSet } from "../tables/kaia-rules.ts";
import { rulesAt } from "./run-code.ts";

const NUMBERS: ReadonlyMap<string, number> = new Map(
  kaiaRuleSet(rulesAt("osaka")).opcodes.flatMap((row, number) => (row ? [[row.name, number] as const] : [])),
);
/** Names that the reference node does not have. */
const EXTRA: Readonly<Record<string, number>> = { TLOAD: 0x5c, TSTORE: 0x5d, KECCAK256: 0x20, INVALID: 0xfe };

/** Assembles opcode names, numbers (pushed in as few bytes as they need), `name:` labels and `@name` jumps. */
export function assemble(source: string): Uint8Array {
  const bytes: number[] = [];
  const labels: Map<string, number> = new Map();
  const jumps: [at: number, label: string][] = [];
  for (const token of source.trim().split(/\s+/)) {
    const number = NUMBERS.get(token) ?? EXTRA[token];
    if (number !== undefined) bytes.push(number);
    else if (token.endsWith(":")) {
      labels.set(token.slice(0, -1), bytes.length);
      bytes.push(0x5b);
    } else if (token.startsWith("@")) {
      jumps.push([bytes.length + 1, token.slice(1)]);
      bytes.push(0x61, 0, 0);
    } else bytes.push(...push(BigInt(token)));
  }
  for (const [at, label] of jumps) {
    const to = labels.get(label) ?? 0xffff;
    bytes[at] = to >> 8;
    bytes[at + 1] = to & 0xff;
  }
  return Uint8Array.from(bytes);
}

function push(value: bigint): number[] {
  const digits = value.toString(16);
  const data = hexToBytes(`0x${digits.length & 1 ? "0" : ""}${digits}`);
  return [0x5f + data.length, ...data];
}

/** Code that returns the word on top of the stack after `source`. */
export function returning(source: string): Uint8Array {
  return assemble(`${source} 0 MSTORE 32 0 RETURN`);
}

/** Init code that deploys `runtime`, at most 65,535 bytes. */
export function deploying(runtime: Uint8Array): Uint8Array {
  const head = [
    0x61,
    runtime.length >> 8,
    runtime.length & 0xff,
    0x80,
    0x60,
    0x0b,
    0x5f,
    0x39,
    0x5f,
    0xf3,
    0xfe,
  ];
  return Uint8Array.from([...head, ...runtime]);
}
