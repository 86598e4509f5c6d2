import {
  changedOpcodes,
  firstOpcodes,
  type OpcodeChanges,
  type OpcodeKind,
  type OpcodeTable,
} from "./opcodes.ts";
import type { RuleSet } from "./rule-set.ts";

/** Forks of Ethereum that change the EVM, in order; the published state tests run under them. */
export const ETHEREUM_FORKS = [
  "Frontier",
  "Homestead",
  "EIP150",
  "EIP158",
  "Byzantium",
  "Constantinople",
  "ConstantinopleFix",
  "Istanbul",
  "Berlin",
  "London",
  "Paris",
  "Shanghai",
  "Cancun",
  "Prague",
  "Osaka",
] as const;
/** Name of a hard fork of Ethereum. */
export type EthereumFork = (typeof ETHEREUM_FORKS)[number];

/** Opcodes in the first table that were added after Frontier, by fork. */
const ADDED_LATER: Readonly<Partial<Record<EthereumFork, readonly number[]>>> = {
  Homestead: [0xf4],
  Byzantium: [0x3d, 0x3e, 0xfa, 0xfd],
  Constantinople: [0x1b, 0x1c, 0x1d, 0x3f, 0xf5],
};

const FRONTIER: OpcodeChanges = {
  "0x31": { gas: 20 },
  "0x3b": { gas: 20 },
  "0x3c": { gas: 20 },
  "0x54": { gas: 50 },
  "0xf1": { gas: 40 },
  "0xf2": { gas: 40 },
  "0xf4": { gas: 40 },
};

const added = (name: string, pops: number, pushes: number, gas: number, kind: OpcodeKind = "inline") => ({
  name,
  pops,
  pushes,
  gas,
  computation: 0,
  kind,
});

const CHANGES: Readonly<Partial<Record<EthereumFork, OpcodeChanges>>> = {
  EIP150: {
    "0x31": { gas: 400 },
    "0x3b": { gas: 700 },
    "0x3c": { gas: 700 },
    "0x54": { gas: 200 },
    "0xf1": { gas: 700 },
    "0xf2": { gas: 700 },
    "0xf4": { gas: 700 },
  },
  Istanbul: {
    "0x31": { gas: 700 },
    "0x3f": { gas: 700 },
    "0x46": added("CHAINID", 0, 1, 2),
    "0x47": added("SELFBALANCE", 0, 1, 5, "selfBalance"),
    "0x54": { gas: 800 },
  },
  Berlin: Object.fromEntries(
    [0x31, 0x3b, 0x3c, 0x3f, 0xf1, 0xf2, 0xf4, 0xfa].map((op) => [op, { gas: 100 }]),
  ),
  London: { "0x48": added("BASEFEE", 0, 1, 2) },
  Shanghai: { "0x5f": added("PUSH0", 0, 1, 2) },
  Cancun: {
    "0x49": added("BLOBHASH", 1, 1, 3, "blobHash"),
    "0x4a": added("BLOBBASEFEE", 0, 1, 2),
    "0x5c": added("TLOAD", 1, 1, 100, "tload"),
    "0x5d": added("TSTORE", 2, 0, 100, "tstore"),
    "0x5e": { ...added("MCOPY", 3, 0, 3, "memoryWrite"), memory: { offset: 0, size: 2 } },
  },
  Osaka: { "0x1e": added("CLZ", 1, 1, 5) },
};

const ruleSets: Map<EthereumFork, RuleSet> = new Map();

/** The rule set of a fork of Ethereum, where computation costs are meaningless. */
export function ethereumRuleSet(fork: EthereumFork): RuleSet {
  const known = ruleSets.get(fork);
  if (known) return known;
  const made = makeRuleSet(fork);
  ruleSets.set(fork, made);
  return made;
}

/** Frontier's table with the changes of each fork up to `last`, its SLOAD without static gas from Berlin on. */
function opcodesOf(last: number): OpcodeTable {
  const hidden = new Set(ETHEREUM_FORKS.slice(last + 1).flatMap((fork) => ADDED_LATER[fork] ?? []));
  let table = changedOpcodes(firstOpcodes(), FRONTIER);
  for (const fork of ETHEREUM_FORKS.slice(0, last + 1)) table = changedOpcodes(table, CHANGES[fork] ?? {});
  if (last >= ETHEREUM_FORKS.indexOf("Berlin")) table = changedOpcodes(table, { "0x54": { gas: 0 } });
  return table.map((row, opcode) => (hidden.has(opcode) ? undefined : row));
}

function makeRuleSet(fork: EthereumFork): RuleSet {
  const last = ETHEREUM_FORKS.indexOf(fork);
  const since = (first: EthereumFork) => last >= ETHEREUM_FORKS.indexOf(first);
  const [eip150, eip158, istanbul, berlin, london] = [
    since("EIP150"),
    since("EIP158"),
    since("Istanbul"),
    since("Berlin"),
    since("London"),
  ];
  return {
    name: fork,
    opcodes: opcodesOf(last),
    expByteGas: eip158 ? 50 : 10,
    coldSlot: berlin ? 2100 : 0,
    warmSlot: berlin ? 100 : 0,
    coldAccount: berlin ? 2500 : 0,
    coldExtCodeHash: berlin,
    extCodeHashOfEmpty: "zero",
    storage: {
      netMetered: istanbul || fork === "Constantinople",
      sentry: istanbul ? 2300 : -1,
      touch: berlin ? 100 : istanbul ? 800 : fork === "Constantinople" ? 200 : 5000,
      set: 20000,
      reset: berlin ? 2900 : 5000,
      clearRefund: london ? 4800 : 15000,
    },
    call: {
      allButOne64th: eip150,
      newAccount: eip158 ? "emptyWithValue" : "absent",
      createsCallee: !eip158,
    },
    create: {
      startNonce: eip158 ? 1n : 0n,
      unpaidCode: since("Homestead") ? "failure" : "empty",
      initCodeWordGas: since("Shanghai") ? 2 : 0,
      maxInitCode: since("Shanghai") ? 49152 : Number.POSITIVE_INFINITY,
      maxCode: eip158 ? 24576 : Number.POSITIVE_INFINITY,
      collision: "used",
      efCode: london ? "failure" : "allowed",
      codeInfo: 0,
    },
    selfdestruct: {
      gas: eip150 ? 5000 : 0,
      cold: berlin ? 2600 : 0,
      newAccount: eip158 ? "emptyWithBalance" : eip150 ? "absent" : "never",
      refund: london ? 0 : 24000,
      onlyCreated: since("Cancun"),
    },
    delegations: since("Prague"),
    lastReserved: 0,
  };
}
