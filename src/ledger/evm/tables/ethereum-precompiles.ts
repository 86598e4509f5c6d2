import { type Address, bigintToFixedBytes } from "../../../protocol/primitives/bytes.ts";
import type { Precompile, PrecompileTable } from "../precompile.ts";
import { blake2f } from "../precompiles/blake2/blake2f.ts";
import { BLS_PRECOMPILES } from "../precompiles/bls/addresses.ts";
import {
  bn254Add,
  bn254AddIstanbul,
  bn254Mul,
  bn254MulIstanbul,
  bn254Pairing,
  bn254PairingIstanbul,
} from "../precompiles/bn254.ts";
import { ecrecover } from "../precompiles/ecrecover.ts";
import { identity } from "../precompiles/identity.ts";
import { modexp, modexpKore, modexpOsaka } from "../precompiles/modexp/modexp.ts";
import { p256Verify } from "../precompiles/p256-verify.ts";
import { pointEvaluation } from "../precompiles/point-evaluation.ts";
import { ripemd160 } from "../precompiles/ripemd160.ts";
import { sha256 } from "../precompiles/sha256.ts";
import { ETHEREUM_FORKS, type EthereumFork } from "./ethereum-rules.ts";

type Row = readonly [address: number, precompile: Precompile];

/** Precompiles that each fork of Ethereum adds or reprices. */
const CHANGES: Readonly<Partial<Record<EthereumFork, readonly Row[]>>> = {
  Frontier: [
    [0x01, ecrecover],
    [0x02, sha256],
    [0x03, ripemd160],
    [0x04, identity],
  ],
  Byzantium: [
    [0x05, modexp],
    [0x06, bn254Add],
    [0x07, bn254Mul],
    [0x08, bn254Pairing],
  ],
  Istanbul: [
    [0x06, bn254AddIstanbul],
    [0x07, bn254MulIstanbul],
    [0x08, bn254PairingIstanbul],
    [0x09, blake2f],
  ],
  Berlin: [[0x05, modexpKore]],
  Cancun: [[0x0a, pointEvaluation]],
  Prague: BLS_PRECOMPILES,
  Osaka: [
    [0x05, modexpOsaka],
    [0x100, p256Verify],
  ],
};

/** The precompiles of a fork of Ethereum, the same for every caller. */
export interface EthereumPrecompiles {
  readonly table: PrecompileTable;
  /** Their addresses, warm when a transaction starts. @see EIP-2929 */
  readonly addresses: readonly Address[];
}

/** The table of precompiles of a fork of Ethereum. */
export function ethereumPrecompiles(fork: EthereumFork): EthereumPrecompiles {
  const forks = ETHEREUM_FORKS.slice(0, ETHEREUM_FORKS.indexOf(fork) + 1);
  const byNumber = new Map(forks.flatMap((name) => CHANGES[name] ?? []));
  return {
    table: (address) => byNumber.get(smallAddress(address)),
    addresses: [...byNumber.keys()].map((number) => bigintToFixedBytes(BigInt(number), 20)),
  };
}

/** An address below 2^16 as a number, else -1. */
export function smallAddress(address: Address): number {
  for (let i = 0; i < 18; i++) if (address[i] !== 0) return -1;
  return ((address[18] as number) << 8) | (address[19] as number);
}
