import { NodeError } from "../../primitives/errors.ts";

/** The expected form of a rejected value; becomes `data.hint` of a JSON-RPC error. */
export interface Mismatch {
  /** The rejected value; left out when it may hold a secret. */
  readonly got?: unknown;
  /** What the type expects, as a noun phrase: `a 0x-prefixed address of 20 bytes`. */
  readonly expects: string;
}

/** A value does not fit its declared type. The message is the reference's text. */
export class InvalidParamsError extends NodeError<"RPC_INVALID_PARAMS"> {
  override name = "InvalidParamsError";

  constructor(reason: string, details: Record<string, unknown> = {}, options?: ErrorOptions) {
    super("RPC_INVALID_PARAMS", reason, details, options);
  }
}

/** The kind found in place of the expected one; types with decoders of their own report other texts. */
const WRONG_KIND = /^(?:string|bool|array|object|number(?: [-\d].*)?)$/;

/**
 * A value of the wrong kind. Its text depends on the value's position:
 * `json: cannot unmarshal <found> into Go value of type <type>` outside of objects, and
 * `json: cannot unmarshal <found> into Go struct field <Struct>.<path> of type <type>` inside.
 */
export class MismatchError extends InvalidParamsError {
  override name = "MismatchError";
  readonly found: string;
  readonly type: string;
  readonly path: readonly string[];
  readonly struct: string;
  /** Whether it is reported only if the enclosing value has no other error: the reference continues decoding. */
  readonly late: boolean;
  readonly #mismatch: Mismatch;

  constructor(found: string, type: string, mismatch: Mismatch, struct = "", path: readonly string[] = []) {
    const where = path.length === 0 ? "Go value" : `Go struct field ${struct}.${path.join(".")}`;
    super(`json: cannot unmarshal ${found} into ${where} of type ${type}`, { ...mismatch, path });
    this.found = found;
    this.type = type;
    this.struct = struct;
    this.path = path;
    this.late = WRONG_KIND.test(found);
    this.#mismatch = mismatch;
  }

  /** The same mismatch in the context of the enclosing object. */
  within(struct: string, member: string): MismatchError {
    return new MismatchError(this.found, this.type, this.#mismatch, this.struct || struct, [
      member,
      ...this.path,
    ]);
  }
}
