import { refused } from "../api/rpc/errors.ts";
import type { KeyGuard } from "../api/rpc/handlers/personal.ts";
import type { Runtime } from "../platform/runtime/runtime.ts";
import type { Logger } from "../platform/telemetry/logger.ts";
import type { Counter } from "../platform/telemetry/metrics.ts";
import { bytesToHex } from "../protocol/primitives/hex.ts";
import { PassphraseDamping } from "../wallet/passphrase-damping.ts";
import { unlockForbidden } from "./exposure.ts";

export interface KeyGuardParts {
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** Counts wrong passphrases. */
  readonly failures: Counter;
  /** Address of a listener that other machines reach, while there is one. */
  readonly exposed: () => string | undefined;
  readonly allowInsecureUnlock: boolean;
}

/** What stands between callers and the keys of a node: slow guessing, and no unlocking where strangers may call. */
export function createKeyGuard({
  runtime,
  logger,
  failures,
  exposed,
  allowInsecureUnlock,
}: KeyGuardParts): KeyGuard & {
  readonly damping: PassphraseDamping;
} {
  return {
    damping: new PassphraseDamping({
      ...runtime,
      onFailure(address, count) {
        failures.add();
        logger.warn("wrong passphrase", { address: bytesToHex(address), count });
      },
    }),
    checkUnlock() {
      const listener = exposed();
      if (listener !== undefined && !allowInsecureUnlock) throw refused(unlockForbidden(listener));
    },
  };
}
