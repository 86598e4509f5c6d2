const KAIA = 10n ** 18n;
const GKEI = 10n ** 9n;

/** A number from JSON: a number, or a decimal or hex string. */
export function toBigint(value: unknown): bigint {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : 0n;
  return typeof value === "string" && /^(0x[0-9a-f]+|\d+)$/i.test(value) ? BigInt(value) : 0n;
}

/** Digits in groups of three, separated by narrow spaces: `63 210`. */
export function grouped(value: bigint | number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** An amount in KAIA: `1.5 KAIA`; very small ones in kei. @param places - decimal places, beyond which `…` is shown */
export function kaia(kei: bigint, places = 18): string {
  if (kei !== 0n && kei < GKEI) return `${grouped(kei)} kei`;
  // otherwise only zeros would be left
  if (kei !== 0n && kei < KAIA / 10n ** BigInt(places)) return `${decimal(kei, GKEI, 3)} gkei`;
  return `${decimal(kei, KAIA, places)} KAIA`;
}

/** A price per gas: `25 gkei`. */
export function gkei(kei: bigint): string {
  return `${decimal(kei, GKEI)} gkei`;
}

function decimal(value: bigint, unit: bigint, places = 18): string {
  const digits = String(unit).length - 1;
  const fraction = withoutZeros(String(value % unit).padStart(digits, "0"));
  if (fraction === "") return grouped(value / unit);
  return `${grouped(value / unit)}.${fraction.slice(0, places)}${fraction.length > places ? "…" : ""}`;
}

/** Strips trailing zeros. */
function withoutZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

/** Bytes in the largest unit that fits: `12.3 MiB`. */
export function bytes(count: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let [value, unit] = [count, 0];
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** How long ago something was: `3 s`, `2 min`, `4 h`, `5 d`. @param seconds - 0 or more */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.floor(seconds))} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** Date and time, UTC. @param seconds - since 1970 */
export function dateTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? `${seconds} s` : date.toISOString().replace("T", " ").slice(0, 19);
}

/** The ends of a hash or address: `0xf39f…2266`. */
export function shortened(hex: string, ends = 4): string {
  return hex.length <= 2 * ends + 5 ? hex : `${hex.slice(0, ends + 2)}…${hex.slice(-ends)}`;
}

/** `FeeDelegatedValueTransfer` as words: `Fee delegated value transfer`. */
export function words(typeName: string): string {
  const apart = typeName.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return apart.charAt(0).toUpperCase() + apart.slice(1);
}
