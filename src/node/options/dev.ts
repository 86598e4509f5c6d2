import { option } from "../../platform/config/option.ts";
import * as t from "../../platform/config/types.ts";

/** The mnemonic that development chains of every family share; its keys are public knowledge. */
export const TEST_MNEMONIC = "test test test test test test test test test test test junk";

/** What only a development chain has: funded accounts and control over mining. */
export const devOptions = {
  chainId: option({
    flag: "chain-id",
    type: t.bigNumber,
    default: 1337n,
    doc: "Chain id of a new development chain.",
  }),
  mnemonic: option({
    flag: "mnemonic",
    type: t.string,
    default: TEST_MNEMONIC,
    doc: "Words from which the accounts derive.",
    secret: true,
  }),
  accounts: option({
    flag: "accounts",
    type: t.integer(0, 10_000),
    default: 10,
    doc: "Number of funded accounts.",
  }),
  balance: option({
    flag: "balance",
    type: t.coins,
    default: 10_000n * 10n ** 18n,
    doc: "Balance of each funded account.",
  }),
  derivationPath: option({
    flag: "derivation-path",
    type: t.string,
    default: "m/44'/60'/0'/0/",
    doc: "Path of the accounts, without the last number.",
  }),
  blockTimeMs: option({
    flag: "block-time",
    type: t.duration,
    default: undefined,
    doc: "Seals a block every so often instead of on demand.",
  }),
  noMining: option({
    flag: "no-mining",
    type: t.boolean,
    default: false,
    doc: "Seals blocks only when told to.",
  }),
  feePayerPort: option({
    flag: "fee-payer-port",
    type: t.port,
    default: undefined,
    doc: "Serves a fee payer with the API of Kaia's managed service; 0 picks a free port.",
  }),
  feePayerDapps: option({
    flag: "fee-payer-dapps",
    type: t.path,
    default: undefined,
    doc: "JSON file of the dApps that the fee payer pays for; without one it pays for everybody.",
  }),
  ephemeral: option({
    flag: "ephemeral",
    type: t.boolean,
    default: false,
    doc: "Keeps the chain in memory only.",
  }),
} as const;
