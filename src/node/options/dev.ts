import { option } from "../../platform/config/option.ts";
import * as t from "../../platform/config/types.ts";

/** The mnemonic that development chains of every family share; its keys are public knowledge. */
export const TEST_MNEMONIC = "test test test test test test test test test test test junk";

/** Chain id of a development chain that names none. */
export const DEV_CHAIN_ID = 1337n;

/** The latest time that a date of JavaScript tells, in seconds since 1970. */
const LAST_SECOND = 8_640_000_000_000n;

/** What only a development chain has: funded accounts and control over mining. */
export const devOptions = {
  chainId: option({
    flag: "chain-id",
    type: t.bigNumberFrom(1n, BigInt(Number.MAX_SAFE_INTEGER)),
    default: undefined,
    doc: "Chain id of a new development chain; by default 1337, or on a fork that of the other chain.",
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
  baseFee: option({
    flag: "base-fee",
    type: t.bigNumberFrom(0n, BigInt(Number.MAX_SAFE_INTEGER)),
    default: undefined,
    doc: "Base fee of a new chain in kei per gas, and the least that blocks have; 0 makes gas free. By default 25 gkei.",
  }),
  timestamp: option({
    flag: "timestamp",
    type: t.bigNumberFrom(0n, LAST_SECOND),
    default: undefined,
    doc: "Time at the start, in seconds since 1970; by default now.",
  }),
  autoImpersonate: option({
    flag: "auto-impersonate",
    type: t.boolean,
    default: false,
    doc: "Takes transactions of every account whose key the node does not hold.",
  }),
  autoFeePayer: option({
    flag: "auto-fee-payer",
    type: t.address,
    default: undefined,
    doc: "Account of the node that pays for fee-delegated transactions which come without a fee payer's signature.",
  }),
  blockTimeMs: option({
    flag: "block-time",
    type: t.timer(1),
    default: undefined,
    doc: "Seals a block every so often instead of on demand.",
  }),
  mixedMining: option({
    flag: "mixed-mining",
    type: t.boolean,
    default: false,
    doc: "With --block-time: seals on demand too.",
  }),
  noMining: option({
    flag: "no-mining",
    type: t.boolean,
    default: false,
    doc: "Seals blocks only when told to.",
  }),
  forkUrl: option({
    flag: "fork-url",
    type: t.string,
    default: undefined,
    doc: "Goes on from the state of another chain, read from this node as it is needed. The URL may hold a key.",
    secret: true,
  }),
  forkBlock: option({
    flag: "fork-block",
    type: t.bigNumber,
    default: undefined,
    doc: "Block of the other chain to go on from; its newest one by default.",
  }),
  forkCache: option({
    flag: "fork-cache",
    type: t.path,
    default: undefined,
    doc: "Folder that keeps what was read of other chains; by default one in the user's cache folder.",
  }),
  noForkCache: option({
    flag: "no-fork-cache",
    type: t.boolean,
    default: false,
    doc: "Reads everything of another chain anew.",
  }),
  forkAllowPrivate: option({
    flag: "fork-allow-private",
    type: t.boolean,
    default: false,
    doc: "Lets anvil_reset and its like fork from nodes of private networks when they are called over HTTP or WebSocket.",
  }),
  stateFile: option({
    flag: "state",
    type: t.path,
    default: undefined,
    doc: "Takes over the state in this file, if it is there, and writes it there at the end.",
  }),
  loadState: option({
    flag: "load-state",
    type: t.path,
    default: undefined,
    doc: "Takes over a state that --dump-state, anvil_dumpState or anvil wrote.",
  }),
  dumpState: option({
    flag: "dump-state",
    type: t.path,
    default: undefined,
    doc: "Writes the state to a file at the end.",
  }),
  stateIntervalMs: option({
    flag: "state-interval",
    aliases: ["state.interval"],
    type: t.timer(100),
    default: 60_000,
    doc: "Time between writes of the file of --state or --dump-state while the node runs.",
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
  feePayerDaily: option({
    flag: "fee-payer-daily",
    type: t.coins,
    default: undefined,
    doc: "Most that the fee payer pays in a day.",
  }),
  feePayerDailySender: option({
    flag: "fee-payer-daily-sender",
    type: t.coins,
    default: undefined,
    doc: "Most that the fee payer pays for one sender in a day.",
  }),
  ephemeral: option({
    flag: "ephemeral",
    type: t.boolean,
    default: false,
    doc: "Keeps the chain in memory only.",
  }),
} as const;
