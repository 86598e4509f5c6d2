import { type Handler, textVerdict, type Verdict } from "../../../../platform/http/service.ts";
import { notThereYet, type RpcError } from "../../engine/errors.ts";
import type { BlockWait } from "../../services/block-wait.ts";

/** Header of a request whose responses must not be older than a block: its number, in decimal or as `0x…`. */
const FIELD = "kairn-min-block";
const NUMBER = /^(?:\d{1,18}|0x[0-9a-f]{1,15})$/i;

/** Answers a body, or all its calls with a refusal. */
export type GuardedHandler = (
  refusal: RpcError | undefined,
  ...request: Parameters<Handler>
) => ReturnType<Handler>;

/**
 * Lets a request with the header `Kairn-Min-Block` wait until the node has that block.
 * @param handle - answers the body; it receives a refusal if the block did not arrive in time
 */
export function afterBlock(
  head: Parameters<Handler>[2],
  verdict: Verdict,
  blocks: BlockWait | undefined,
  handle: GuardedHandler,
): Verdict {
  const value = head.fields[FIELD];
  if (value === undefined || blocks === undefined || verdict.handle === undefined) return verdict;
  if (!NUMBER.test(value))
    return { ...textVerdict(400, "Kairn-Min-Block is not the number of a block"), close: true };
  const number = BigInt(value);
  return {
    ...verdict,
    handle: (...request) => {
      const isThere = blocks.reaches(number);
      const answer = (there: boolean) =>
        handle(there ? undefined : notThereYet(number, blocks.head), ...request);
      return typeof isThere === "boolean" ? answer(isThere) : isThere.then(answer);
    },
  };
}
