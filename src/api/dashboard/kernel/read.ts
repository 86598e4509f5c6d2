import { ADDRESS_PATTERN } from "../../../protocol/primitives/hex.ts";

const DIGITS = 18;

/** Whether a text is an address. */
export function isAddress(text: string): boolean {
  return ADDRESS_PATTERN.test(text.trim());
}

/** The kei of an amount of KAIA such as `12.5`; undefined if the text is not an amount. */
export function toKei(text: string): bigint | undefined {
  const found = /^(\d{1,30})(?:\.(\d{1,18}))?$/.exec(text.trim());
  if (found === null) return undefined;
  return BigInt(`${found[1]}${(found[2] ?? "").padEnd(DIGITS, "0")}`);
}

/**
 * Converts the text typed for a parameter of a contract function: lists and structs are JSON, the rest remains text.
 * @throws Error that names the parameter
 */
export function readValue(text: string, type: string, name: string): unknown {
  const which = name === "" ? type : `${name} (${type})`;
  if (type.endsWith("]") || type.startsWith("(") || type.startsWith("tuple")) {
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`${which}: a list is written as JSON, such as ["1", "2"]`);
    }
  }
  if (type === "bool") {
    if (!/^(true|false)$/.test(text.trim())) throw new Error(`${which}: true or false`);
    return text.trim() === "true";
  }
  if (type === "string") return text;
  if (/^u?int/.test(type) && !/^-?\d{1,78}$|^0x[0-9a-fA-F]{1,64}$/.test(text.trim()))
    throw new Error(`${which}: a whole number`);
  return text.trim();
}
