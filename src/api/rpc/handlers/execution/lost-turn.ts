import type { WaitFailure } from "../../../../platform/runtime/turns/wait-queue.ts";
import { limitExceeded, type RpcError, stopping } from "../../engine/errors.ts";

/** The error of a call that was not executed. @param timeMs - how long it could wait */
export function lostTurn(why: Extract<WaitFailure, "left" | "late" | "closed">, timeMs: number): RpcError {
  if (why === "closed") return stopping();
  if (why === "left") return limitExceeded("the caller has disconnected");
  const seconds = Math.round(timeMs) / 1000;
  return limitExceeded(`too many calls at once: this one did not start within ${seconds}s`);
}
