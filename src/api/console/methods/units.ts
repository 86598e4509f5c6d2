/** Number of decimal places of each unit, in both families: Klaytn's names, Kaia's and Ethereum's. */
const PLACES: Readonly<Record<string, number>> = {
  peb: 0,
  kpeb: 3,
  Mpeb: 6,
  Gpeb: 9,
  ston: 9,
  uKLAY: 12,
  mKLAY: 15,
  KLAY: 18,
  kKLAY: 21,
  MKLAY: 24,
  GKLAY: 27,
  TKLAY: 30,
  kei: 0,
  kkei: 3,
  Kkei: 3,
  mkei: 6,
  Mkei: 6,
  gkei: 9,
  Gkei: 9,
  uKAIA: 12,
  mKAIA: 15,
  KAIA: 18,
  kKAIA: 21,
  MKAIA: 24,
  GKAIA: 27,
  TKAIA: 30,
  wei: 0,
  kwei: 3,
  mwei: 6,
  gwei: 9,
  szabo: 12,
  finney: 15,
  ether: 18,
};

/** An argument of the unit helpers: decimal text, hex text, a number or a bigint. */
export type Amount = string | number | bigint;

/**
 * An amount in the smallest unit.
 * @param unit - unit of the amount; default KAIA
 * @returns decimal text; a bigint for a bigint
 * @throws Error for an unknown unit, or when a fraction of the smallest unit remains
 */
export function toSmallest(amount: Amount, unit = "KAIA"): string | bigint {
  const places = placesOf(unit);
  if (typeof amount === "bigint") return amount * 10n ** BigInt(places);
  const { digits, fraction, negative } = parseDecimal(amount);
  if (fraction.length > places)
    throw new Error(
      `${amount} ${unit} has more than ${places} decimal places: a fraction of the smallest unit`,
    );
  const value = BigInt(digits + fraction.padEnd(places, "0"));
  return `${negative && value !== 0n ? "-" : ""}${value}`;
}

/**
 * An amount of the smallest unit in another unit, exactly.
 * @param unit - unit of the result; default KAIA
 * @returns decimal text without trailing zeros
 */
export function fromSmallest(amount: Amount, unit = "KAIA"): string {
  const places = placesOf(unit);
  const { digits, fraction, negative } = parseDecimal(amount);
  const padded = digits.padStart(places + 1, "0");
  const whole = padded.slice(0, padded.length - places).replace(/^0+(?=\d)/, "");
  const rest = `${padded.slice(padded.length - places)}${fraction}`.replace(/0+$/, "");
  return `${negative ? "-" : ""}${whole}${rest === "" ? "" : `.${rest}`}`;
}

function placesOf(unit: string): number {
  const places = Object.hasOwn(PLACES, unit) ? PLACES[unit] : undefined;
  if (places !== undefined) return places;
  const known = Object.keys(PLACES).join(", ");
  throw new Error(`This unit doesn't exist, please use one of the following units: ${known}`);
}

function parseDecimal(amount: Amount): { digits: string; fraction: string; negative: boolean } {
  const text = plainText(amount);
  const parsed = /^(-?)(\d*)\.?(\d*)$/.exec(text);
  if (parsed === null || !/\d/.test(text)) throw new Error(`${text} is not a number`);
  const [, sign = "", digits = "", fraction = ""] = parsed;
  return {
    digits: digits === "" ? "0" : digits,
    fraction: fraction.replace(/0+$/, ""),
    negative: sign === "-",
  };
}

/** Decimal text of an amount, without exponent. */
function plainText(amount: Amount): string {
  const text = String(amount).trim();
  if (/^0x[0-9a-fA-F]+$/.test(text)) return BigInt(text).toString();
  const scientific = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/.exec(text);
  if (scientific === null) return text;
  const [, sign, whole = "", fraction = "", exponent] = scientific;
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  const padded = digits.padEnd(point, "0");
  return `${sign}${padded.slice(0, point)}.${padded.slice(point)}`;
}
