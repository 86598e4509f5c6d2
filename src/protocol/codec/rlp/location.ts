import { RlpError } from "./item.ts";
import type { RlpReader } from "./reader.ts";

/** @throws RlpError at the end of the open list */
export function expectMore(reader: RlpReader, type: string): void {
  if (reader.atEnd) throw new RlpError("RLP_SHAPE", `rlp: too few elements for ${type}`);
}

/**
 * The same error in the context of the enclosing value. Framing errors of the input have no path in the reference.
 * @param step - `.Field` of a struct or `[index]` of a list
 */
export function within(error: unknown, step: string): unknown {
  if (!(error instanceof RlpError) || !error.message.includes(" for ")) return error;
  return stepped(error, step);
}

/** The same error seen from a separately decoded value of the Go type `type`, if it already has a path. */
export function throughType(error: unknown, type: string): unknown {
  return error instanceof RlpError && "path" in error.details ? stepped(error, `(${type})`) : error;
}

/**
 * An error with the position at which the reference node reports it.
 * @param types - Go types through which the reference descends to the value, outermost first
 */
export function located(error: unknown, types: readonly string[]): unknown {
  if (!(error instanceof RlpError) || !("path" in error.details)) return error;
  const chain = types.map((type) => `(${type})`).join("");
  const { path, ...details } = error.details;
  return new RlpError(error.code, `${error.message}, decoding into ${chain}${path}`, details, {
    cause: error,
  });
}

function stepped(error: RlpError, step: string): RlpError {
  const { path = "" } = error.details;
  const details = { ...error.details, path: `${step}${path}` };
  return new RlpError(error.code, error.message, details, { cause: error });
}
