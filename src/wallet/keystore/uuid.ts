import { WalletError } from "../errors.ts";

const HEX = /^[0-9a-f]{32}$/i;
const HYPHENED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const URN = "urn:uuid:";

/**
 * Reads a UUID in any of its four text forms: with or without hyphens, in braces, as a URN.
 * @returns lower case, with hyphens
 * @throws WalletError `KEY_FILE` with the reference node's texts
 */
export function parseUuid(text: string): string {
  const digits = bareForm(text).replaceAll("-", "").toLowerCase();
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function bareForm(text: string): string {
  if (text.length === 32) return matching(text, HEX);
  if (text.length === 36) return matching(text, HYPHENED);
  if (text.length === 38) return matching(text.slice(1, -1), HYPHENED);
  if (text.length !== 36 + URN.length)
    throw new WalletError("KEY_FILE", `invalid UUID length: ${text.length}`);
  const prefix = text.slice(0, URN.length);
  if (prefix.toLowerCase() !== URN) throw new WalletError("KEY_FILE", `invalid urn prefix: "${prefix}"`);
  return matching(text.slice(URN.length), HYPHENED);
}

function matching(text: string, form: RegExp): string {
  if (form.test(text)) return text;
  throw new WalletError("KEY_FILE", "invalid UUID format");
}
