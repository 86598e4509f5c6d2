import type { LostTurn } from "../../../../platform/runtime/turns/waiting-line.ts";
import { limitExceeded, type RpcError, stopping } from "../../engine/errors.ts";

/** The error of a call that was not executed. @param timeMs - how long it could wait */
export function lostTurn(why: Extract<LostTurn, "left" | "late" | "closed">, timeMs: number): RpcError {
  if (why === "closed") return stopping();
  if (why === "left") return limitExceeded("nobody waits for the call");
  const seconds = Math.round(timeMs) / 1000;
  return limitExceeded(`too many calls at once: the turn of this one did not come in ${seconds}s`);
}
