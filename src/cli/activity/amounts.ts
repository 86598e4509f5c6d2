const KAIA = 10n ** 18n;
/** Amounts below this many kei are shown in kei. */
const LITTLE = 10n ** 9n;

/** A human-readable amount: `1.5 KAIA`, `21 kei`. @param kei - not negative */
export function amount(kei: bigint): string {
  if (kei > 0n && kei < LITTLE) return `${kei} kei`;
  const rest = withoutTrailingZeros((kei % KAIA).toString().padStart(18, "0"));
  return `${grouped(kei / KAIA)}${rest === "" ? "" : `.${rest}`} KAIA`;
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}

/** A whole number with thousands separators: `21,000`. */
export function grouped(number: bigint | number): string {
  const digits = String(number);
  let text = "";
  for (let i = 0; i < digits.length; i++) {
    if (i > 0 && (digits.length - i) % 3 === 0) text += ",";
    text += digits[i];
  }
  return text;
}

/** Bytes in mebibytes. */
export function mebibytes(bytes: number): number {
  return bytes / 2 ** 20;
}

/** A human-readable size: `12.0 KiB`, from one mebibyte on `1.5 MiB`. */
export function byteSize(bytes: number): string {
  const size = mebibytes(bytes);
  return size < 1 ? `${(bytes / 2 ** 10).toFixed(1)} KiB` : `${size.toFixed(1)} MiB`;
}

/** A count with its noun: `1 block`, `2 blocks`. */
export function counted(number: number, thing: string): string {
  return `${grouped(number)} ${thing}${number === 1 ? "" : "s"}`;
}
