import { InvalidParamsError, type Mismatch } from "../../../protocol/codec/json/errors.ts";
import type { Field, Json, Shape } from "../../../protocol/codec/json/schema.ts";
import { numberText } from "../../../protocol/codec/json/value.ts";
import { shown, shownIfPublic } from "./shown.ts";

/** A parameter list prepared for decoding. `offset` arguments precede the first one (a subscription's name). */
export interface Parameters {
  readonly names: readonly string[];
  readonly fields: readonly Field<unknown>[];
  readonly offset: number;
  /** Indexes of secret arguments. If there are any, every other argument may be a misplaced secret. */
  readonly secrets: readonly number[];
}

/** Named arguments of a call. */
export type Arguments = Record<string, unknown>;
type Details = Partial<Mismatch> & { readonly path?: readonly string[] };
const NO_ARGUMENTS: Arguments = Object.freeze({});

/** Prepares the parameters of a declaration for decoding. */
export function parameters(params: Shape, offset = 0): Parameters {
  const fields = Object.values(params);
  const secrets = fields.flatMap(({ schema }, i) => (schema.secret === undefined ? [] : [offset + i]));
  return { names: Object.keys(params), fields, offset, secrets };
}

/**
 * Checks that `params` is an array, null or absent.
 * @throws InvalidParamsError `non-array args`, or the reference's text for a number that it cannot represent
 */
export function positional(params: Json | undefined): readonly Json[] {
  if (params === undefined || params === null) return [];
  if (Array.isArray(params)) return params;
  const text = numberText(params);
  const isBeyond = text !== undefined && !Number.isFinite(Number(text));
  const reason = isBeyond
    ? `json: cannot unmarshal number ${text} into Go value of type float64`
    : "non-array args";
  throw new InvalidParamsError(reason, { hint: "params must be an array, null or left out." });
}

/**
 * Decodes positional arguments from left to right into named ones. A method without parameters ignores all arguments.
 * @throws InvalidParamsError with the reference's text and a hint of our own
 */
export function decodeArguments(parameters: Parameters, values: readonly Json[]): Arguments {
  const { names, fields, offset } = parameters;
  const count = fields.length;
  if (count === 0 && (offset === 0 || values.length <= offset)) return NO_ARGUMENTS;
  const args: Arguments = {};
  for (let i = offset; i < values.length; i++) {
    const field = fields[i - offset];
    if (field === undefined) throw tooMany(count + offset);
    const value = values[i] as Json;
    if (value === null && field.optional) continue;
    args[names[i - offset] as string] = decodeArgument(parameters, i, value);
  }
  for (let i = Math.max(values.length - offset, 0); i < count; i++) {
    const field = fields[i] as Field<unknown>;
    if (field.optional) continue;
    if (field.absent === undefined) throw missing(i + offset, names[i] as string, field);
    args[names[i] as string] = field.absent;
  }
  return args;
}

function tooMany(max: number): InvalidParamsError {
  const reason = `too many arguments, want at most ${max}`;
  return new InvalidParamsError(reason, { hint: `This method takes at most ${max} parameters.` });
}

function missing(index: number, name: string, field: Field<unknown>): InvalidParamsError {
  const hint = `Parameter ${index + 1} (${name}) is missing; it expects ${field.schema.expects}.`;
  return new InvalidParamsError(`missing value for required argument ${index}`, { hint });
}

function decodeArgument(parameters: Parameters, index: number, value: Json): unknown {
  const field = parameters.fields[index - parameters.offset] as Field<unknown>;
  try {
    return field.schema.decode(value);
  } catch (cause) {
    if (!(cause instanceof InvalidParamsError)) throw cause;
    const hint = hintOf(parameters, index, cause.details as Details);
    throw new InvalidParamsError(`invalid argument ${index}: ${cause.message}`, { hint }, { cause });
  }
}

/** A sentence naming the parameter, the value it got (never a possible secret) and what it expects. */
function hintOf({ names, fields, offset, secrets }: Parameters, index: number, details: Details): string {
  const name = names[index - offset];
  const { schema } = fields[index - offset] as Field<unknown>;
  const member = (details.path ?? []).map((step) => `.${step}`).join("");
  const hidden = schema.secret !== undefined || !("got" in details);
  const show = secrets.length > 0 ? shownIfPublic : shown;
  const got = hidden ? "a value that does not fit" : show(details.got);
  return `Parameter ${index + 1} (${name}${member}) got ${got}; it expects ${details.expects ?? schema.expects}.`;
}
