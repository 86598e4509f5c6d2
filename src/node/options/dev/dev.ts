import * as t from "../../../platform/config/types.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { parseRootPath } from "../../../wallet/derivation-path.ts";
import { MAX_MNEMONIC } from "../../../wallet/hd.ts";
import { absolute } from "../conversions.ts";
import { nodeOption } from "../member.ts";

/** The mnemonic that development chains commonly share; its keys are public knowledge. */
export const TEST_MNEMONIC = "test test test test test test test test test test test junk";

/** Chain id of a development chain that names none. */
export const DEV_CHAIN_ID = 1337n;

/** The latest time of a JavaScript date, in seconds since 1970. */
const LAST_SECOND = 8_640_000_000_000n;

/** Its words and checksum are checked when accounts are derived: the list of words is loaded only then. */
const mnemonic = t.textOf("a mnemonic of 12 to 24 words", (text) => text.length <= MAX_MNEMONIC);

const derivationPath: t.OptionType<string> = {
  ...t.textOf("a derivation path such as m/44'/60'/0'/0/", (text) => faultOfPath(text) === undefined),
  parse(text) {
    const fault = faultOfPath(text);
    if (fault !== undefined) throw new Error(`a derivation path such as m/44'/60'/0'/0/: ${fault}`);
    return text;
  },
};

function faultOfPath(text: string): string | undefined {
  try {
    parseRootPath(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The properties of a new development chain. */
export const devOptions = {
  chainId: nodeOption({
    member: "dev.chainId",
    flag: "chain-id",
    type: t.bigNumberFrom(1n, BigInt(Number.MAX_SAFE_INTEGER)),
    default: undefined,
    doc: "Chain id of a new development chain; by default 1337, or that of the forked chain.",
  }),
  mnemonic: nodeOption({
    member: "dev.mnemonic",
    flag: "mnemonic",
    type: mnemonic,
    default: TEST_MNEMONIC,
    doc: "Mnemonic from which the accounts are derived.",
    secret: true,
  }),
  accounts: nodeOption({
    member: "dev.accounts",
    flag: "accounts",
    type: t.integer(0, 10_000),
    default: 10,
    doc: "Number of funded accounts.",
  }),
  balance: nodeOption({
    member: "dev.balance",
    flag: "balance",
    type: t.coins,
    default: 10_000n * 10n ** 18n,
    doc: "Balance of each funded account.",
  }),
  derivationPath: nodeOption({
    member: "dev.derivationPath",
    flag: "derivation-path",
    type: derivationPath,
    default: "m/44'/60'/0'/0/",
    doc: "Derivation path of the accounts, without the last index.",
  }),
  baseFee: nodeOption({
    member: "dev.baseFee",
    flag: "base-fee",
    type: t.bigNumberFrom(0n, BigInt(Number.MAX_SAFE_INTEGER)),
    default: undefined,
    doc: "Initial base fee of a new chain in kei per gas, and its lower bound; 0 makes gas free. By default 25 gkei.",
  }),
  timestamp: nodeOption({
    member: "dev.timestamp",
    flag: "timestamp",
    type: t.bigNumberFrom(0n, LAST_SECOND),
    default: undefined,
    doc: "Time of the chain at its start, in seconds since 1970; by default now.",
  }),
  codeSizeLimit: nodeOption({
    member: "dev.codeSizeLimit",
    flag: "code-size-limit",
    type: t.integer(1, 1_048_576, "BYTES"),
    default: undefined,
    doc: "Maximum size of a contract's code; by default 24,576 as on every Kaia chain (EIP-170). Init code may have twice as many.",
  }),
  throwOnTransactionFailures: nodeOption({
    member: "dev.throwOnTransactionFailures",
    flag: "throw-on-transaction-failures",
    type: t.boolean,
    default: false,
    doc: "Responds to a send with an error if the transaction failed in its block, as Hardhat's network does.",
  }),
  artifacts: nodeOption({
    member: "artifacts.folders",
    flag: "artifacts",
    type: t.path,
    default: undefined,
    doc:
      "Folder of artifacts of Hardhat, Foundry or solc: names contracts and shows the source lines at which calls " +
      "fail; by default `artifacts` and `out` in the working folder.",
    accepts: {
      what: "a list of paths",
      test: (value) => t.isListOf(value, t.path.accepts.test),
    },
    as: (folder) => [absolute(folder)],
  }),
  autoImpersonate: nodeOption({
    member: "dev.autoImpersonate",
    flag: "auto-impersonate",
    type: t.boolean,
    default: false,
    doc: "Accepts transactions from every account whose key the node does not hold.",
  }),
  autoFeePayer: nodeOption({
    member: "dev.autoFeePayer",
    flag: "auto-fee-payer",
    type: t.address,
    default: undefined,
    doc: "Account of the node that pays for fee-delegated transactions that arrive without a fee payer's signature.",
    as: hexToBytes,
  }),
} as const;
