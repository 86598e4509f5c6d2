import { closeSync, openSync, readFileSync, readSync } from "node:fs";

/**
 * Counts occurrences of byte strings in the writable memory of a process; undefined if this user may not read it (other systems,
 * ptrace restrictions).
 */
export function occurrences(pid: number, wanted: readonly Uint8Array[]): number[] | undefined {
  try {
    const memory = openSync(`/proc/${pid}/mem`, "r");
    try {
      const maps = readFileSync(`/proc/${pid}/maps`, "utf8").split("\n");
      const found = wanted.map(() => 0);
      for (const line of maps) {
        const [, start, end] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
        if (start !== undefined && end !== undefined)
          countBetween(memory, [Number.parseInt(start, 16), Number.parseInt(end, 16)], wanted, found);
      }
      return found;
    } finally {
      closeSync(memory);
    }
  } catch {
    return undefined;
  }
}

function countBetween(
  memory: number,
  [start, end]: readonly [number, number],
  wanted: readonly Uint8Array[],
  found: number[],
): void {
  const overlap = Math.max(...wanted.map(({ length }) => length)) - 1;
  const part = Buffer.alloc(2 ** 22);
  for (let at = start; at < end; at += part.length - overlap) {
    let length: number;
    try {
      length = readSync(memory, part, 0, Math.min(part.length, end - at), at);
    } catch {
      return; // kernel pages
    }
    const isLast = at + length >= end;
    wanted.forEach((bytes, which) => {
      const max = isLast ? length : length - (overlap - bytes.length + 1);
      for (let i = part.indexOf(bytes); i >= 0 && i + bytes.length <= max; i = part.indexOf(bytes, i + 1))
        found[which] = (found[which] as number) + 1;
    });
  }
}
