import type { Provider } from "../../../api/rpc/transports/provider.ts";
import type { ConnectionBudget } from "../../../platform/http/budget.ts";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { silentLogger } from "../../../platform/telemetry/logger.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import type { WalletManager } from "../../../wallet/wallet.ts";
import type { FeePayerOptions, NodeOptions } from "../../node-options.ts";
import { addressOf, isLoopback } from "../../service/endpoints/exposure.ts";
import type { Ledger } from "../../storage/ledger.ts";
import type { DevSetup } from "../dev-chain.ts";
import { DevError } from "../errors.ts";
import { FeePayerService } from "./fee-payer-service.ts";
import { type FeePayerListener, listenFeePayer } from "./http-server.ts";

/** Chain ids of the public networks: there a service that pays for anyone would be drained. */
const PUBLIC: ReadonlySet<bigint> = new Set([1001n, 8217n]);

/** What a fee payer service uses of its node. */
export interface FeePayerNode {
  /** With `feePayer`. */
  readonly options: NodeOptions;
  readonly setup: DevSetup | undefined;
  readonly ledger: Ledger;
  /** Calls methods of the node. */
  readonly request: Provider["request"];
  readonly wallets: WalletManager;
  readonly budget: ConnectionBudget;
}

/** A fee payer service and the account that pays. */
export interface OpenFeePayer extends FeePayerListener {
  readonly account: Address;
}

/**
 * Starts the fee payer service of a development chain.
 * @throws DevError `FEE_PAYER` on other chains, and without an account or limits that it needs
 */
export async function openFeePayer(parts: FeePayerNode): Promise<OpenFeePayer> {
  const { options, setup, ledger, request, wallets } = parts;
  const { runtime = systemRuntime, logger = silentLogger } = options;
  const { host = "127.0.0.1", port, dapps, ...chosen } = options.feePayer as FeePayerOptions;
  const account = chosen.account ?? setup?.accounts[0]?.address;
  if (setup === undefined) throw refused("is for development chains only");
  if (account === undefined) throw refused("needs an account");
  if (dapps === undefined && PUBLIC.has(ledger.chain.config.chainId))
    throw refused("needs a dApp file under the chain id of a public network");
  const { chain, store } = ledger;
  const service = new FeePayerService({
    ...{ chain, store, wallets, account, request },
    ...{ timers: runtime.timers, clock: runtime.clock, limits: chosen },
    ...(dapps && { dapps }),
  });
  const log = logger.child("fee-payer");
  // Listen on the address that was checked, whatever the name may resolve to later.
  const address = await addressOf(host);
  const listener = await listenFeePayer(service, {
    ...{ host: address, port, budget: parts.budget },
    logger: log,
  });
  if (!isLoopback(address))
    log.warn("other machines reach this node", { listener: listener.url, open: "an account that pays" });
  return {
    url: listener.url,
    account,
    async close() {
      service.close();
      await listener.close();
    },
  };
}

function refused(why: string): DevError {
  return new DevError("FEE_PAYER", `the fee payer service ${why}`);
}
