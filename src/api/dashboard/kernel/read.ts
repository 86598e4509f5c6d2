const DIGITS = 18;

/** Whether a text is an address. */
export function isAddress(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text.trim());
}

/** The kei of an amount of KAIA such as `12.5`; undefined for a text that is none. */
export function toKei(text: string): bigint | undefined {
  const found = /^(\d{1,30})(?:\.(\d{1,18}))?$/.exec(text.trim());
  if (found === null) return undefined;
  return BigInt(`${found[1]}${(found[2] ?? "").padEnd(DIGITS, "0")}`);
}
