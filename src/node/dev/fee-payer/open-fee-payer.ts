import { systemRuntime } from "../../../platform/runtime/system.ts";
import { silentLogger } from "../../../platform/telemetry/logger.ts";
import type { WalletManager } from "../../../wallet/wallet.ts";
import type { Endpoints } from "../../endpoints.ts";
import type { Ledger } from "../../ledger.ts";
import type { FeePayerOptions, NodeOptions } from "../../node-options.ts";
import type { DevSetup } from "../dev-chain.ts";
import { DevError } from "../errors.ts";
import { FeePayerService } from "./fee-payer-service.ts";
import { type FeePayerListener, listenFeePayer } from "./http-server.ts";

/** Chain ids of the public networks: there a service that pays for everybody would be drained. */
const PUBLIC: ReadonlySet<bigint> = new Set([1001n, 8217n]);

/** The node beside which a fee payer service runs. */
export interface FeePayerNode {
  /** With `feePayer`. */
  readonly options: NodeOptions;
  readonly setup: DevSetup | undefined;
  readonly ledger: Ledger;
  readonly endpoints: Endpoints;
  readonly wallets: WalletManager;
}

/**
 * Starts the fee payer service of a development chain.
 * @throws DevError `FEE_PAYER` on other chains, and without an account or limits that it needs
 */
export function openFeePayer(parts: FeePayerNode): Promise<FeePayerListener> {
  const { options, setup, ledger, endpoints, wallets } = parts;
  const { runtime = systemRuntime, logger = silentLogger } = options;
  const { host = "127.0.0.1", port, dapps, ...chosen } = options.feePayer as FeePayerOptions;
  const account = chosen.account ?? setup?.accounts[0]?.address;
  if (setup === undefined) throw refused("is for development chains only");
  if (account === undefined) throw refused("needs an account");
  if (dapps === undefined && PUBLIC.has(ledger.chain.config.chainId))
    throw refused("needs a file of dApps under the chain id of a public network");
  const { chain, store } = ledger;
  const { request } = endpoints.provider;
  const service = new FeePayerService({
    ...{ chain, store, wallets, account, request },
    timers: runtime.timers,
    ...(dapps && { dapps }),
  });
  return listenFeePayer(service, { host, port, logger: logger.child("fee-payer") });
}

function refused(why: string): DevError {
  return new DevError("FEE_PAYER", `the fee payer service ${why}`);
}
