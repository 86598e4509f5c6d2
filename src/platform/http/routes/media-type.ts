import { skipBlanks, tokenEnd } from "../connection/scan.ts";

/**
 * The type of a `Content-Type` field in lower case, such as `application/json`; its parameters are checked and dropped.
 * @returns undefined if the field is not a media type
 * @see RFC 9110, 8.3.1
 */
export function mediaTypeOf(field: string | undefined): string | undefined {
  if (field === undefined) return undefined;
  const start = skipBlanks(field, 0);
  const slash = tokenEnd(field, start);
  const end = tokenEnd(field, slash + 1);
  if (slash === start || field[slash] !== "/" || end === slash + 1) return undefined;
  return areParameters(field, end) ? field.slice(start, end).toLowerCase() : undefined;
}

/** Whether the rest of a field is parameters: `; name=value`, blanks around each part, a last semicolon alone. */
function areParameters(field: string, from: number): boolean {
  let at = skipBlanks(field, from);
  while (at < field.length) {
    if (field[at] !== ";") return false;
    const name = skipBlanks(field, at + 1);
    if (name === field.length) return true;
    const equals = skipBlanks(field, tokenEnd(field, name));
    if (equals === name || field[equals] !== "=") return false;
    const value = skipBlanks(field, equals + 1);
    const end = field[value] === '"' ? field.indexOf('"', value + 1) + 1 : tokenEnd(field, value);
    if (end <= value) return false;
    at = skipBlanks(field, end);
  }
  return true;
}
