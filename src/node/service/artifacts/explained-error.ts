import { RpcError } from "../../../api/rpc/engine/errors.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";

/** What is known of a failure besides its error. */
export interface Explanation {
  /** Lines of a Solidity stack trace, the innermost place first. */
  readonly trace: readonly string[];
  /** What the contract gave back, as hex; absent where it gave nothing. */
  readonly output: string | undefined;
}

/** A failed call of which it is known where in the source it failed. */
export class ExplainedError extends RpcError {
  override name = "ExplainedError";
  readonly explanation: Explanation;

  /** @param data - of the answer: as without an explanation, or what `explainedData` makes */
  constructor(code: number, message: string, data: Json | undefined, explanation: Explanation) {
    super(code, message, data);
    this.explanation = explanation;
  }
}

/** `data` of an error as Hardhat's node forms it, with the stack trace beside it: clients look for the bytes in `data.data`. */
export function explainedData(message: string, { output, trace }: Explanation): Json {
  const stack = [`Error: ${message}`, ...trace.map((line) => `    ${line}`)].join("\n");
  return { message, ...(output !== undefined && { data: output }), stack };
}
