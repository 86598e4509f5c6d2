import { refused } from "../../errors.ts";

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a duration such as `1m30s` or `500ms`. @throws RpcError -32000 with the text of Go's parser */
export function durationMs(text: string): number {
  if (text === "0") return 0;
  const parsed = /^([+-]?)((?:\d+\.?\d*|\.\d+)[a-zµ]+)+$/.exec(text);
  if (parsed === null) {
    if (/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)) throw refused(`time: missing unit in duration "${text}"`);
    throw refused(`time: invalid duration "${text}"`);
  }
  let total = 0;
  for (const [, digits, unit] of text.matchAll(/(\d+\.?\d*|\.\d+)([a-zµ]+)/g)) {
    const factor = UNIT_MS[unit as string];
    if (factor === undefined) throw refused(`time: unknown unit "${unit}" in duration "${text}"`);
    total += Number(digits) * factor;
  }
  return parsed[1] === "-" ? -total : total;
}
