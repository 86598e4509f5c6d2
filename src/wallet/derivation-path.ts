import { WalletError } from "./errors.ts";

/** Components of a BIP-32 path; hardened ones have the highest of 32 bits set. */
export type DerivationPath = readonly number[];

/** Added to the index of a hardened component. */
export const HARDENED = 0x8000_0000;

/** Characters of a path; 255 levels, all that BIP-32 has, may need more, but no wallet has as many as ten. */
const MAX_PATH_LENGTH = 1000;

/** Root of relative paths, `m/44'/8217'/0'/0`: 8217 is the coin type of Kaia. */
export const DEFAULT_ROOT_PATH: DerivationPath = [44 + HARDENED, 8217 + HARDENED, HARDENED, 0];

/**
 * Parses `m/44'/8217'/0'/0/0`, or a path relative to `DEFAULT_ROOT_PATH`. Components are decimal, hex (`0x`), binary
 * (`0b`) or octal (`0`, `0o`); white space around them is ignored; `'` hardens.
 * @throws WalletError `DERIVATION_PATH` with the reference node's texts
 */
export function parseDerivationPath(text: string): DerivationPath {
  if (text.length > MAX_PATH_LENGTH)
    throw invalid(`derivation path longer than ${MAX_PATH_LENGTH} characters`);
  const [first = "", ...rest] = text.split("/");
  if (first.trim() === "") {
    throw invalid("ambiguous path: use 'm/' prefix for absolute paths, or no leading '/' for relative ones");
  }
  const absolute = first.trim() === "m";
  if (absolute && rest.length === 0) throw invalid("empty derivation path");
  return absolute
    ? rest.map(parseComponent)
    : [...DEFAULT_ROOT_PATH, ...[first, ...rest].map(parseComponent)];
}

/**
 * Parses the path that all accounts of a wallet begin with; a slash at its end is ignored.
 * @throws WalletError `DERIVATION_PATH`
 */
export function parseRootPath(text: string): DerivationPath {
  return parseDerivationPath(text.endsWith("/") ? text.slice(0, -1) : text);
}

/** The text of a path, such as `m/44'/8217'/0'/0/0`. */
export function formatDerivationPath(path: DerivationPath): string {
  return ["m", ...path.map((index) => (index >= HARDENED ? `${index - HARDENED}'` : String(index)))].join(
    "/",
  );
}

function parseComponent(text: string): number {
  const trimmed = text.trim();
  const hardened = trimmed.endsWith("'");
  const digits = hardened ? trimmed.slice(0, -1).trim() : trimmed;
  const value = parseInteger(digits);
  if (value === undefined) throw invalid(`invalid component: ${digits}`);
  const max = hardened ? HARDENED - 1 : 2 ** 32 - 1;
  if (value < 0n || value > BigInt(max)) {
    throw invalid(`component ${value} out of allowed ${hardened ? "hardened " : ""}range [0, ${max}]`);
  }
  return Number(value) + (hardened ? HARDENED : 0);
}

const INTEGER =
  /^([+-]?)(0x_?[0-9a-f]+(?:_[0-9a-f]+)*|0b_?[01]+(?:_[01]+)*|0o?_?[0-7]+(?:_[0-7]+)*|0|[1-9]\d*(?:_\d+)*)$/i;

/** Parses an integer literal of Go. */
function parseInteger(text: string): bigint | undefined {
  const match = INTEGER.exec(text);
  if (match === null) return undefined;
  const digits = (match[2] as string).replaceAll("_", "").replace(/^0(?=[0-7])/, "0o");
  return match[1] === "-" ? -BigInt(digits) : BigInt(digits);
}

function invalid(text: string): WalletError {
  return new WalletError("DERIVATION_PATH", text);
}
