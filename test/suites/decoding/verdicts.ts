import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { RlpError } from "../../../src/protocol/codec/rlp/item.ts";
import { decodeTransaction } from "../../../src/protocol/transaction/envelope.ts";
import { TransactionError } from "../../../src/protocol/transaction/errors.ts";
import { mutatedTransactions } from "./mutations.ts";

/** The reference node's verdicts on the transactions generated from a seed. */
interface Recorded {
  readonly seed: number;
  readonly count: number;
  /** SHA-256 of all inputs, to check that they are the recorded ones. */
  readonly inputs: string;
  /** gzip in base64; bit i, lowest first: input i was accepted. */
  readonly verdicts: string;
}

/** Comparison of decoding with the reference. */
export interface Comparison {
  readonly count: number;
  readonly taken: number;
  /** Inputs with different verdicts, in hex. */
  readonly differing: readonly string[];
  /** Errors that are neither RLP errors nor transaction errors. */
  readonly untyped: readonly string[];
}

/**
 * Decodes the recorded mutations of real transactions and compares which of them are accepted.
 * @throws Error if the mutations are not the recorded ones
 */
export function compareVerdicts(): Comparison {
  const path = fileURLToPath(new URL("../../fixtures/decoding/mutated-transactions.json", import.meta.url));
  const { seed, count, inputs, verdicts } = JSON.parse(readFileSync(path, "utf8")) as Recorded;
  const bits = gunzipSync(Buffer.from(verdicts, "base64"));
  const [differing, untyped]: [string[], string[]] = [[], []];
  const digest = createHash("sha256");
  let [at, taken] = [0, 0];
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0; // stack traces would dominate the run time
  for (const bytes of mutatedTransactions(count, seed)) {
    digest.update(bytes);
    const isTaken = ((bits[at >> 3] as number) & (1 << (at & 7))) !== 0;
    if (isTaken) taken++;
    try {
      decodeTransaction(bytes);
      if (!isTaken) differing.push(Buffer.from(bytes).toString("hex"));
    } catch (error) {
      if (isTaken) differing.push(Buffer.from(bytes).toString("hex"));
      if (!(error instanceof RlpError || error instanceof TransactionError)) untyped.push(String(error));
    }
    at++;
  }
  Error.stackTraceLimit = stackTraceLimit;
  if (digest.digest("hex") !== inputs)
    throw new Error("the mutations differ from the recorded ones: fixtures or the mutator have changed");
  return { count, taken, differing, untyped };
}
