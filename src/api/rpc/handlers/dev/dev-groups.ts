import { ZERO_ADDRESS } from "../../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../../protocol/primitives/hex.ts";
import type { HeavyReads } from "../../services/heavy-reads.ts";
import type { devNamespaces } from "../../spec/api.ts";
import type { GroupHandlers } from "../../spec/method.ts";
import { ethTransactionArgs } from "../../spec/values/transaction-args.ts";
import { rethrowCause } from "../../transports/provider.ts";
import {
  anvilAccountHandlers,
  devAccountHandlers,
  evmAccountHandlers,
  kairnAccountHandlers,
} from "./accounts.ts";
import { anvilChainHandlers, devChainHandlers, devSnapshotHandlers } from "./chain.ts";
import { type DappDeps, ethDappHandlers, personalDappHandlers, walletDappHandlers } from "./dapp.ts";
import type { DevControls } from "./dev-controls.ts";
import { anvilMiningHandlers, devClockHandlers, devMiningHandlers, evmMiningHandlers } from "./mining.ts";
import { anvilReorgHandlers } from "./reorg.ts";
import { anvilTokenHandlers } from "./tokens.ts";

/** What the methods of a development chain need. */
export interface DevDeps extends DappDeps {
  readonly controls: DevControls;
  readonly reads: HeavyReads;
  /** Whether sending a transaction returns an error if it fails in its block. */
  readonly throwsOnFailures: boolean;
}

/** Handlers of evm, anvil, hardhat, kairn and wallet: control over a development chain, and the wallet methods of dApps. */
export function devGroups(deps: DevDeps): GroupHandlers<typeof devNamespaces> {
  const { sealing, accounts, chain, feePayer } = deps.controls;
  const { request } = deps;
  const isHardhat = (namespace: string) => namespace === "hardhat";
  const doneIn = (namespace: string) => (isHardhat(namespace) ? true : null);
  return {
    // Hardhat counts the time between blocks in milliseconds, anvil in seconds.
    devMining: (namespace) =>
      devMiningHandlers(sealing, doneIn(namespace), isHardhat(namespace) ? 1n : 1000n),
    devAccounts: (namespace) => devAccountHandlers(accounts, doneIn(namespace)),
    devChain: (namespace) => devChainHandlers(chain, deps.reads, doneIn(namespace)),
    devClock: devClockHandlers(sealing, null),
    devSnapshots: devSnapshotHandlers(chain),
    anvilMining: anvilMiningHandlers(sealing),
    anvilAccounts: anvilAccountHandlers(accounts),
    anvilChain: anvilChainHandlers(chain),
    anvilReorg: anvilReorgHandlers({ sealing, chain, request }),
    anvilTokens: anvilTokenHandlers({ accounts, request }),
    evmMining: evmMiningHandlers(sealing),
    evmAccounts: evmAccountHandlers(accounts),
    ethDapp: ethDappHandlers(deps),
    personalDapp: personalDappHandlers(deps),
    walletDapp: walletDappHandlers(deps),
    kairnAccounts: kairnAccountHandlers(accounts, feePayer),
    ethDev: {
      sendUnsignedTransaction: ({ tx }) =>
        accounts.impersonateDuring(tx.from ?? ZERO_ADDRESS, async () => {
          const params = [ethTransactionArgs.encode(tx)];
          return hexToBytes(
            (await request({ method: "eth_sendTransaction", params }).catch(rethrowCause)) as string,
          );
        }),
    },
  };
}
