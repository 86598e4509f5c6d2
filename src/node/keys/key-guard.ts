import { isBusy, RpcError } from "../../api/rpc/engine/errors.ts";
import type { KeyGuard, SecretReader } from "../../api/rpc/handlers/accounts/key-guard.ts";
import { identityOf } from "../../api/rpc/services/caller.ts";
import type { CallContext } from "../../api/rpc/spec/method.ts";
import type { Runtime } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { Counter } from "../../platform/telemetry/metrics.ts";
import { secretBytes } from "../../protocol/codec/json/secret.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { AttemptThrottle, accountCreations, passphraseGuesses } from "../../wallet/attempt-throttle.ts";
import { Passphrase } from "../../wallet/passphrase.ts";
import { unlockForbidden } from "../service/endpoints/exposure.ts";

/** Dependencies of a key guard. */
export interface KeyGuardParts {
  readonly runtime: Pick<Runtime, "clock" | "timers">;
  readonly logger: Logger;
  /** Counts wrong passphrases. */
  readonly failures: Counter;
  /** Counts those that were not checked, since too many were waiting. */
  readonly busy: Counter;
  /** Address of a listener that other machines can reach, if any. */
  readonly exposed: () => string | undefined;
  readonly allowInsecureUnlock: boolean;
  /** Maximum unlock duration in seconds; absent = no limit. */
  readonly unlockMaxSeconds?: number | undefined;
}

/** Minimum interval between logged refusals, since anybody can cause them. */
const LOG_INTERVAL_MS = 1000;

/**
 * Protects the keys of a node from callers: throttles guessing, and unlocks nothing while other machines have access.
 */
export function createKeyGuard(parts: KeyGuardParts): KeyGuard & { close(): void } {
  const { runtime, logger, failures } = parts;
  const guessing = new AttemptThrottle({
    ...runtime,
    rule: passphraseGuesses,
    onCounted(address, count) {
      failures.add();
      logger.warn("wrong passphrase", { address, count });
    },
  });
  const creating = new AttemptThrottle({ ...runtime, rule: accountCreations });
  let loggedAt = Number.NEGATIVE_INFINITY;
  const stayLocked = (address: Address, reason: string): false => {
    const now = runtime.clock.elapsed();
    if (now - loggedAt >= LOG_INTERVAL_MS) {
      loggedAt = now;
      logger.warn("an account was not unlocked", { address: bytesToHex(address), reason });
    }
    return false;
  };
  const counted = <T>(attempt: Promise<T>): Promise<T> =>
    attempt.catch((error: unknown) => {
      if (isBusy(error)) parts.busy.add();
      throw error;
    });
  const guard: KeyGuard = {
    attempt: (account, context, task) =>
      counted(throttled(guessing, bytesToHex(account), context, () => withSecrets(context, task))),
    create: (context, task) => counted(throttled(creating, "", context, () => withSecrets(context, task))),
    async unlock(address, context, seconds, task) {
      const listener = context.access.local ? undefined : parts.exposed();
      if (listener !== undefined && !parts.allowInsecureUnlock)
        return stayLocked(address, unlockForbidden(listener));
      try {
        const allowed = atMost(seconds, parts.unlockMaxSeconds);
        await guard.attempt(address, context, (secret) => task(secret, allowed));
        return true;
      } catch (error) {
        if (error instanceof NodeError && !(error instanceof RpcError) && !isBusy(error))
          return stayLocked(address, error.message);
        throw error;
      }
    },
  };
  return {
    ...guard,
    close() {
      guessing.close();
      creating.close();
    },
  };
}

/** In-process and IPC callers are not throttled. */
function throttled<T>(
  throttle: AttemptThrottle,
  subject: string,
  { access, signal }: CallContext,
  task: () => Promise<T>,
): Promise<T> {
  if (access.local) return task();
  return throttle.attempt(subject, task, signal);
}

/** Runs a task with the passphrases it requests, which are wiped afterwards. */
async function withSecrets<T>(context: CallContext, task: (secret: SecretReader) => Promise<T>): Promise<T> {
  const caller = { ...identityOf(context), isLocal: context.access.local === true };
  const made: Passphrase[] = [];
  const secret: SecretReader = (given) => {
    const passphrase = new Passphrase(secretBytes(given), caller);
    made.push(passphrase);
    return passphrase;
  };
  try {
    return await task(secret);
  } finally {
    for (const passphrase of made) passphrase.wipe();
  }
}

/** The shorter of two durations in seconds; 0 = unlimited. */
function atMost(seconds: number, most: number | undefined): number {
  if (most === undefined) return seconds;
  return seconds === 0 ? most : Math.min(seconds, most);
}
