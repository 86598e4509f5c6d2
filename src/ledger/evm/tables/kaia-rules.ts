import { FORKS, type Fork, type Rules } from "../../../protocol/params/forks.ts";
import { MAX_CODE_BYTES, maxInitCodeBytes } from "../../../protocol/params/gas.ts";
import { changedOpcodes, firstOpcodes, type OpcodeChanges, type OpcodeTable } from "./opcodes.ts";
import type { RuleSet } from "./rule-set.ts";

/** Changes of each fork to the opcode table before it. Measured on reference node v2.2.1. */
const CHANGES: Readonly<Record<Fork, OpcodeChanges>> = {
  // EIP-1344, EIP-1884, EIP-2200 and cheaper computation
  istanbul: {
    "0x08": { computation: 1410 },
    "0x09": { computation: 1760 },
    "0x18": { computation: 454 },
    "0x19": { computation: 364 },
    "0x1b": { computation: 478 },
    "0x1c": { computation: 498 },
    "0x1d": { computation: 834 },
    "0x31": { gas: 700 },
    "0x3f": { gas: 700 },
    "0x46": { name: "CHAINID", pops: 0, pushes: 1, gas: 2, computation: 120 },
    "0x47": { name: "SELFBALANCE", pops: 0, pushes: 1, gas: 5, computation: 374, kind: "selfBalance" },
    "0x54": { gas: 800 },
  },
  london: { "0x48": { name: "BASEFEE", pops: 0, pushes: 1, gas: 2, computation: 198 } },
  ethTxType: {},
  magma: {},
  // EIP-2929, EIP-3529, PREVRANDAO
  kore: {
    "0x31": { gas: 100 },
    "0x3b": { gas: 100 },
    "0x3c": { gas: 100 },
    "0x3f": { gas: 100 },
    "0x44": { computation: 1498 },
    "0x54": { gas: 0 },
    "0xf1": { gas: 100 },
    "0xf2": { gas: 100 },
    "0xf4": { gas: 100 },
    "0xfa": { gas: 100 },
    "0xff": { gas: 5000 },
  },
  shanghai: { "0x5f": { name: "PUSH0", pops: 0, pushes: 1, gas: 2, computation: 80 } },
  // EXTCODEHASH returns to its price at genesis.
  cancun: {
    "0x05": { computation: 360 },
    "0x06": { computation: 320 },
    "0x08": { computation: 360 },
    "0x09": { computation: 700 },
    "0x0a": { computation: 720 },
    "0x20": { computation: 560 },
    "0x3f": { gas: 400 },
    "0x49": { name: "BLOBHASH", pops: 1, pushes: 1, gas: 3, computation: 165, kind: "blobHash" },
    "0x4a": { name: "BLOBBASEFEE", pops: 0, pushes: 1, gas: 2, computation: 120 },
    "0x53": { computation: 230 },
    "0x54": { computation: 2550 },
    "0x55": { computation: 2510 },
    // the reference node has no names for these two
    "0x5c": { name: "Missing opcode 0x5c", pops: 1, pushes: 1, gas: 100, computation: 220, kind: "tload" },
    "0x5d": { name: "Missing opcode 0x5d", pops: 2, pushes: 0, gas: 100, computation: 280, kind: "tstore" },
    "0x5e": {
      ...{ name: "MCOPY", pops: 3, pushes: 0, gas: 3, computation: 250 },
      ...{ kind: "memoryWrite", memory: { offset: 0, size: 2 } },
    },
    "0xa1": { computation: 500 },
    "0xa2": { computation: 500 },
    "0xa3": { computation: 500 },
    "0xa4": { computation: 500 },
  },
  randao: {},
  kaia: {},
  prague: {},
  osaka: { "0x1e": { name: "CLZ", pops: 1, pushes: 1, gas: 5, computation: 0 } },
};

/** By level of the rules, the number of active forks. */
const ruleSets: (RuleSet | undefined)[] = new Array(FORKS.length + 1).fill(undefined);

/** Those of development chains with a larger code size limit, by level and limit. */
const customSizeRuleSets = new Map<string, RuleSet>();

/** The rule set of a block; equal rules yield the same object. */
export function kaiaRuleSet(rules: Rules): RuleSet {
  if (rules.codeSizeLimit !== MAX_CODE_BYTES) return customSizeRuleSet(rules);
  ruleSets[rules.level] ??= makeRuleSet(rules);
  return ruleSets[rules.level] as RuleSet;
}

function customSizeRuleSet(rules: Rules): RuleSet {
  const key = `${rules.level}/${rules.codeSizeLimit}`;
  let made = customSizeRuleSets.get(key);
  if (made === undefined) {
    made = makeRuleSet(rules);
    customSizeRuleSets.set(key, made);
  }
  return made;
}

function opcodesOf(level: number): OpcodeTable {
  const active = FORKS.slice(0, level);
  return active.reduce((table, fork) => changedOpcodes(table, CHANGES[fork]), firstOpcodes());
}

function makeRuleSet(rules: Rules): RuleSet {
  const { istanbul, kore, shanghai, cancun, prague } = rules;
  return {
    name: `kaia-${rules.level}`,
    opcodes: opcodesOf(rules.level),
    expByteGas: 50,
    coldSlot: kore ? 2100 : 0,
    warmSlot: kore ? 100 : 0,
    coldAccount: kore ? 2500 : 0,
    coldExtCodeHash: kore && !cancun,
    extCodeHashOfEmpty: cancun ? "zero" : "emptyHash",
    storage: {
      netMetered: istanbul,
      sentry: istanbul ? 2300 : -1,
      touch: kore ? 100 : istanbul ? 800 : 5000,
      set: 20000,
      reset: kore ? 2900 : 5000,
      clearRefund: kore ? 4800 : 15000,
    },
    call: { allButOne64th: true, newAccount: "emptyWithValue", createsCallee: false },
    create: {
      startNonce: 1n,
      unpaidCode: "failure",
      initCodeWordGas: shanghai ? 2 : 0,
      maxInitCode: shanghai ? maxInitCodeBytes(rules) : Number.POSITIVE_INFINITY,
      maxCode: rules.codeSizeLimit,
      collision: shanghai ? "used" : "account",
      efCode: prague ? "failure" : kore ? "late" : "allowed",
      codeInfo: istanbul ? 0x10 : 0,
    },
    selfdestruct: {
      gas: kore ? 0 : 5000,
      cold: kore ? 2600 : 0,
      newAccount: "emptyWithBalance",
      refund: kore ? 0 : 24000,
      onlyCreated: cancun,
    },
    delegations: prague,
    lastReserved: 0x3ff,
  };
}
