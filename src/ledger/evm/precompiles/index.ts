import type { Rules } from "../../../protocol/params/forks.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import type { Precompile, PrecompileTable } from "../precompile.ts";
import { blake2f } from "./blake2/blake2f.ts";
import { BLS_PRECOMPILES } from "./bls/addresses.ts";
import {
  bn254Add,
  bn254AddIstanbul,
  bn254Mul,
  bn254MulIstanbul,
  bn254Pairing,
  bn254PairingIstanbul,
} from "./bn254.ts";
import { ecrecover } from "./ecrecover.ts";
import { identity } from "./identity.ts";
import { feePayer } from "./kaia/fee-payer.ts";
import { validateSender } from "./kaia/validate-sender.ts";
import { vmLog } from "./kaia/vm-log.ts";
import { modexp, modexpKore, modexpOsaka } from "./modexp/modexp.ts";
import { p256Verify } from "./p256-verify.ts";
import { pointEvaluation } from "./point-evaluation.ts";
import { ripemd160 } from "./ripemd160.ts";
import { sha256 } from "./sha256.ts";

/** The precompiles by numeric address; the highest reserved number is 0x3ff. */
type Table = ReadonlyMap<number, Precompile>;

/** Highest reserved address: 0x0…03ff. The zero address is not reserved. */
const LAST_RESERVED = 0x3ff;

const common: Table = new Map([
  [0x01, ecrecover],
  [0x02, sha256],
  [0x03, ripemd160],
  [0x04, identity],
]);

const genesis: Table = new Map([
  ...common,
  [0x05, modexp],
  [0x06, bn254Add],
  [0x07, bn254Mul],
  [0x08, bn254Pairing],
  [0x09, vmLog],
  [0x0a, feePayer],
  [0x0b, validateSender],
]);

const istanbul: Table = new Map([
  ...common,
  [0x05, modexp],
  [0x06, bn254AddIstanbul],
  [0x07, bn254MulIstanbul],
  [0x08, bn254PairingIstanbul],
  [0x09, blake2f],
  [0x3fd, vmLog],
  [0x3fe, feePayer],
  [0x3ff, validateSender],
]);

const kore: Table = new Map([...istanbul, [0x05, modexpKore]]);

const cancun: Table = new Map([...kore, [0x0a, pointEvaluation]]);

const prague: Table = new Map([...cancun, ...BLS_PRECOMPILES]);

const osaka: Table = new Map([...prague, [0x05, modexpOsaka], [0x100, p256Verify]]);

/**
 * Finds a precompile by the caller's VM version: contracts deployed before istanbul (version 0) keep the table and
 * prices of that time for ever; everything else, including accounts without code (pass 1), uses the table of the fork.
 */
export const precompiles: PrecompileTable = (address, rules, callerVmVersion) => {
  const number = reservedNumber(address);
  return number === undefined ? undefined : tableOf(rules, callerVmVersion).get(number);
};

/** The precompiles of a fork for contracts deployed since istanbul, by numeric address. */
export function activePrecompiles(rules: Rules): Table {
  return tableOf(rules, 1);
}

/** Whether an address is in the reserved range, which no transaction may use: 0x0…01 to 0x0…03ff. */
export function isReservedAddress(address: Address): boolean {
  return reservedNumber(address) !== undefined;
}

/** Numbers of the addresses that are always warm: the fork's precompiles, and 0x0a and 0x0b for old contracts. */
export function warmPrecompiles(rules: Rules): ReadonlySet<number> {
  const table = tableOf(rules, 1);
  let numbers = warmNumbers.get(table);
  if (numbers === undefined) {
    numbers = new Set([...table.keys(), 0x0a, 0x0b]);
    warmNumbers.set(table, numbers);
  }
  return numbers;
}

const warmNumbers = new Map<Table, ReadonlySet<number>>();

function tableOf(rules: Rules, callerVmVersion: number): Table {
  if (!rules.istanbul || callerVmVersion === 0) return genesis;
  if (rules.osaka) return osaka;
  if (rules.prague) return prague;
  if (rules.cancun) return cancun;
  return rules.kore ? kore : istanbul;
}

function reservedNumber(address: Address): number | undefined {
  for (let i = 0; i < 18; i++) if (address[i] !== 0) return undefined;
  const number = (address[18] as number) * 256 + (address[19] as number);
  return number === 0 || number > LAST_RESERVED ? undefined : number;
}
