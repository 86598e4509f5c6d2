import { concat } from "../../protocol/primitives/bytes.ts";

/** EVM opcodes used by the contracts of a new network. @see Yellow Paper, appendix H */
const OPCODES: Readonly<Record<string, number>> = {
  ...{ STOP: 0x00, ADD: 0x01, MUL: 0x02, SUB: 0x03, DIV: 0x04, LT: 0x10, EQ: 0x14, ISZERO: 0x15 },
  ...{ SHL: 0x1b, SHR: 0x1c, CALLER: 0x33, CALLDATALOAD: 0x35, POP: 0x50, MSTORE: 0x52, SLOAD: 0x54 },
  ...{ SSTORE: 0x55, JUMP: 0x56, JUMPI: 0x57, DUP1: 0x80, DUP2: 0x81, DUP3: 0x82, DUP4: 0x83, DUP5: 0x84 },
  ...{ SWAP1: 0x90, RETURN: 0xf3, REVERT: 0xfd },
};
const PUSH1 = 0x60;
const PUSH2 = 0x61;
const JUMPDEST = 0x5b;

/**
 * Assembles a program: opcode names, decimal or 0x hexadecimal numbers to push, `:label` for a jump destination, and `@label`, which pushes
 * its offset.
 * @throws Error for an unknown word or label
 */
export function assemble(program: string): Uint8Array {
  const words = program.split(/\s+/).filter((word) => word !== "");
  const places = new Map<string, number>();
  let size = 0;
  for (const word of words) {
    if (word.startsWith(":")) places.set(word.slice(1), size);
    size += word.startsWith("@") ? 3 : encode(word).length;
  }
  return concat(
    ...words.map((word) => {
      if (!word.startsWith("@")) return encode(word);
      const place = places.get(word.slice(1));
      if (place === undefined) throw new Error(`no label ${word}`);
      return Uint8Array.of(PUSH2, place >> 8, place & 0xff);
    }),
  );
}

function encode(word: string): Uint8Array {
  if (word.startsWith(":")) return Uint8Array.of(JUMPDEST);
  const opcode = OPCODES[word];
  if (opcode !== undefined) return Uint8Array.of(opcode);
  if (!/^(0x[0-9a-f]+|[0-9]+)$/.test(word)) throw new Error(`no opcode ${word}`);
  const digits = BigInt(word).toString(16);
  const bytes = Uint8Array.from(Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex"));
  return concat(Uint8Array.of(PUSH1 + bytes.length - 1), bytes);
}
