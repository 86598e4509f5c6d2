import type { TransactionPool } from "../../ledger/txpool/pool.ts";
import { ZERO_ADDRESS } from "../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../protocol/primitives/hex.ts";
import type { Registry } from "./engine/registry.ts";
import {
  anvilAccountHandlers,
  devAccountHandlers,
  evmAccountHandlers,
  kairnAccountHandlers,
} from "./handlers/dev/accounts.ts";
import { anvilChainHandlers, devChainHandlers, devSnapshotHandlers } from "./handlers/dev/chain.ts";
import {
  type DappDeps,
  ethDappHandlers,
  personalDappHandlers,
  walletDappHandlers,
} from "./handlers/dev/dapp.ts";
import type { DevControls } from "./handlers/dev/dev-controls.ts";
import {
  anvilMiningHandlers,
  devClockHandlers,
  devMiningHandlers,
  evmMiningHandlers,
} from "./handlers/dev/mining.ts";
import { submitRaw } from "./handlers/transactions/submit.ts";
import type { HeavyReads } from "./services/heavy-reads.ts";
import { anvilAccounts, devAccounts, evmAccounts, kairnAccounts } from "./spec/dev/accounts.ts";
import { anvilChain, devChain, devSnapshots, ethDev } from "./spec/dev/chain.ts";
import { ethDapp, personalDapp, walletDapp } from "./spec/dev/dapp.ts";
import { anvilMining, devClock, devMining, evmMining } from "./spec/dev/mining.ts";
import { transactions } from "./spec/transactions/transactions.ts";
import { ethTransactionArgs } from "./spec/values/transaction-args.ts";
import { rethrowCause } from "./transports/provider.ts";

/** What the methods of a development chain need. */
export interface DevDeps extends DappDeps {
  readonly controls: DevControls;
  readonly pool: TransactionPool;
  readonly reads: HeavyReads;
}

/** Adds the namespaces evm, anvil, hardhat, kairn and wallet: control over a development chain, and what dApps ask of wallets. */
export function addDev(registry: Registry, deps: DevDeps): Registry {
  const { controls, pool, request } = deps;
  const { sealing, accounts, chain, feePayer } = controls;
  for (const [namespace, done, unitMs] of [
    ["anvil", null, 1000n],
    ["hardhat", true, 1n],
  ] as const) {
    registry
      .mount(namespace, devMining, devMiningHandlers(sealing, done, unitMs))
      .mount(namespace, devAccounts, devAccountHandlers(accounts, done))
      .mount(namespace, devChain, devChainHandlers(chain, deps.reads, done));
  }
  for (const namespace of ["evm", "anvil"]) {
    registry
      .mount(namespace, devClock, devClockHandlers(sealing, null))
      .mount(namespace, devSnapshots, devSnapshotHandlers(chain));
  }
  return registry
    .mount("anvil", anvilMining, anvilMiningHandlers(sealing))
    .mount("anvil", anvilAccounts, anvilAccountHandlers(accounts))
    .mount("anvil", anvilChain, anvilChainHandlers(chain))
    .mount("evm", evmMining, evmMiningHandlers(sealing))
    .mount("evm", evmAccounts, evmAccountHandlers(accounts))
    .mount("eth", ethDapp, ethDappHandlers(deps))
    .mount("personal", personalDapp, personalDappHandlers(deps))
    .mount("wallet", walletDapp, walletDappHandlers(deps))
    .mount("kairn", kairnAccounts, kairnAccountHandlers(accounts, feePayer))
    .mount("eth", ethDev, {
      sendUnsignedTransaction: ({ tx }) =>
        accounts.impersonateDuring(tx.from ?? ZERO_ADDRESS, async () => {
          const params = [ethTransactionArgs.encode(tx)];
          return hexToBytes(
            (await request({ method: "eth_sendTransaction", params }).catch(rethrowCause)) as string,
          );
        }),
    })
    .mount("chain", pickSendRaw(), {
      sendRawTransaction: async ({ raw }) => submitRaw(pool, await feePayer.complete(raw), false),
    })
    .delayAnswers("send", (hashes) => sealing.settled([hashes].flat().filter(isBytes)));
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}

/** The declaration whose handler a development chain replaces: a missing fee payer may be filled in. */
function pickSendRaw(): Pick<typeof transactions, "sendRawTransaction"> {
  const { sendRawTransaction } = transactions;
  return { sendRawTransaction };
}
