import type { Json } from "../../../protocol/codec/json/value.ts";

/** Logs of the remote chain, then those of this one. */
export function joinedLogs(there: Json, here: Json): Json {
  return [...listOf(there), ...listOf(here)];
}

/** A fee history that starts on the remote chain and ends on this one. */
export function joinedFees(there: Json, here: Json): Json {
  const [first, last] = [objectOf(there), objectOf(here)];
  const blocks = listOf(first["gasUsedRatio"] ?? null).length;
  const joined: Record<string, Json> = { ...last, oldestBlock: first["oldestBlock"] ?? null };
  for (const name of ["baseFeePerGas", "blobBaseFeePerGas", "gasUsedRatio", "reward"]) {
    // Base fees have one more entry, that of the block after the last one.
    if (!(name in last)) continue;
    if (!(name in first)) delete joined[name];
    else joined[name] = [...listOf(first[name] ?? null).slice(0, blocks), ...listOf(last[name] ?? null)];
  }
  return joined;
}

function listOf(value: Json): Json[] {
  return Array.isArray(value) ? value : [];
}

function objectOf(value: Json): Record<string, Json> {
  return value as Record<string, Json>;
}
