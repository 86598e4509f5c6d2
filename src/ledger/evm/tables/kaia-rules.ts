import type { Rules } from "../../../protocol/params/forks.ts";
import { changedOpcodes, firstOpcodes, type OpcodeChanges, type OpcodeTable } from "./opcodes.ts";
import type { RuleSet } from "./rule-set.ts";

/** Opcode changes by rule level: the number of active forks. @see docs of the forks; measured on reference node v2.2.1 */
const CHANGES: Readonly<Record<number, OpcodeChanges>> = {
  // istanbul: EIP-1344, EIP-1884, EIP-2200 and cheaper computation
  1: {
    8: { computation: 1410 },
    9: { computation: 1760 },
    24: { computation: 454 },
    25: { computation: 364 },
    27: { computation: 478 },
    28: { computation: 498 },
    29: { computation: 834 },
    49: { gas: 700 },
    63: { gas: 700 },
    70: { name: "CHAINID", pops: 0, pushes: 1, gas: 2, computation: 120 },
    71: { name: "SELFBALANCE", pops: 0, pushes: 1, gas: 5, computation: 374 },
    84: { gas: 800 },
  },
  // london
  2: { 72: { name: "BASEFEE", pops: 0, pushes: 1, gas: 2, computation: 198 } },
  // kore: EIP-2929, EIP-3529, PREVRANDAO
  5: {
    49: { gas: 100 },
    59: { gas: 100 },
    60: { gas: 100 },
    63: { gas: 100 },
    68: { computation: 1498 },
    84: { gas: 0 },
    241: { gas: 100 },
    242: { gas: 100 },
    244: { gas: 100 },
    250: { gas: 100 },
    255: { gas: 5000 },
  },
  // shanghai
  6: { 95: { name: "PUSH0", pops: 0, pushes: 1, gas: 2, computation: 80 } },
  // cancun; EXTCODEHASH falls back to its price of the first fork
  7: {
    5: { computation: 360 },
    6: { computation: 320 },
    8: { computation: 360 },
    9: { computation: 700 },
    10: { computation: 720 },
    32: { computation: 560 },
    63: { gas: 400 },
    73: { name: "BLOBHASH", pops: 1, pushes: 1, gas: 3, computation: 165 },
    74: { name: "BLOBBASEFEE", pops: 0, pushes: 1, gas: 2, computation: 120 },
    83: { computation: 230 },
    84: { computation: 2550 },
    85: { computation: 2510 },
    // the reference has no names for these two
    92: { name: "Missing opcode 0x5c", pops: 1, pushes: 1, gas: 100, computation: 220 },
    93: { name: "Missing opcode 0x5d", pops: 2, pushes: 0, gas: 100, computation: 280 },
    94: { name: "MCOPY", pops: 3, pushes: 0, gas: 3, computation: 250 },
    161: { computation: 500 },
    162: { computation: 500 },
    163: { computation: 500 },
    164: { computation: 500 },
  },
  // osaka
  11: { 30: { name: "CLZ", pops: 1, pushes: 1, gas: 5, computation: 0 } },
};

const LEVELS = 12;
const ruleSets: (RuleSet | undefined)[] = new Array(LEVELS).fill(undefined);

/** The rule set of a block; equal levels give the same object. */
export function kaiaRuleSet(rules: Rules): RuleSet {
  ruleSets[rules.level] ??= makeRuleSet(rules);
  return ruleSets[rules.level] as RuleSet;
}

function opcodesOf(level: number): OpcodeTable {
  let table = firstOpcodes();
  for (let i = 1; i <= level; i++) table = changedOpcodes(table, CHANGES[i] ?? {});
  return table;
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
    call: { keepsSixtyFourth: true, newAccount: "emptyWithValue", createsCallee: false },
    create: {
      startNonce: 1n,
      unpaidCode: "failure",
      initCodeWordGas: shanghai ? 2 : 0,
      maxInitCode: shanghai ? 49152 : Number.POSITIVE_INFINITY,
      maxCode: 24576,
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
