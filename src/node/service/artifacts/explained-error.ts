import { RpcError } from "../../../api/rpc/engine/errors.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";

/** What is known of a failure besides its error. */
export interface Explanation {
  /** Lines of a Solidity stack trace, the innermost place first. */
  readonly trace: readonly string[];
  /** The contract's return data, as hex; absent if there is none. */
  readonly output: string | undefined;
}

/** A failed call with a known source location. */
export class ExplainedError extends RpcError {
  override name = "ExplainedError";
  readonly explanation: Explanation;

  /** @param data - of the response: unchanged, or the result of `explainedData` */
  constructor(code: number, message: string, data: Json | undefined, explanation: Explanation) {
    super(code, message, data);
    this.explanation = explanation;
  }
}

/** An error's `data` in the form of Hardhat's node, with the stack trace: clients look for the bytes in `data.data`. */
export function explainedData(message: string, { output, trace }: Explanation): Json {
  const stack = [`Error: ${message}`, ...trace.map((line) => `    ${line}`)].join("\n");
  return { message, ...(output !== undefined && { data: output }), stack };
}
