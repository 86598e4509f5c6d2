import { refused } from "../../../engine/errors.ts";

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Maximum length of a duration in characters; all units together take less. */
const MAX_TEXT = 64;
/** One number with its unit, continuing from the previous one: each character is read once. */
const PART = /(\d+(?:\.\d*)?|\.\d+)([a-zµ]*)/y;

/** Milliseconds of a duration such as `1m30s` or `500ms`. @throws RpcError -32000 with the text of Go's parser */
export function durationMs(text: string): number {
  if (text === "0") return 0;
  if (text.length > MAX_TEXT) throw refused("time: invalid duration");
  const isSigned = text.startsWith("-") || text.startsWith("+");
  const total = sumOf(text, isSigned ? 1 : 0);
  return text.startsWith("-") ? -total : total;
}

function sumOf(text: string, from: number): number {
  const invalid = () => refused(`time: invalid duration "${text}"`);
  const parts: [digits: string, unit: string][] = [];
  for (let at = from; at < text.length; at = PART.lastIndex) {
    PART.lastIndex = at;
    const [, digits, unit] = PART.exec(text) ?? [];
    if (digits === undefined || unit === undefined) throw invalid();
    parts.push([digits, unit]);
  }
  if (parts.length === 0) throw invalid();
  let total = 0;
  for (const [digits, unit] of parts) {
    if (unit === "")
      throw parts.length === 1 ? refused(`time: missing unit in duration "${text}"`) : invalid();
    const factor = UNIT_MS[unit];
    if (factor === undefined) throw refused(`time: unknown unit "${unit}" in duration "${text}"`);
    total += Number(digits) * factor;
  }
  return total;
}
