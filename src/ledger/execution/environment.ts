import { blobBaseFee } from "../../protocol/block/blob-gas.ts";
import type { Header } from "../../protocol/block/header.ts";
import type { Rules } from "../../protocol/params/forks.ts";
import { type Address, bytesToBigint, type Hash, ZERO_HASH } from "../../protocol/primitives/bytes.ts";
import type { BlockContext, Evm, RunBudget, Tracer } from "../evm/evm.ts";
import type { StateJournal } from "../state/journal/journal-types.ts";

/** Everything that the transactions of one block share. */
export interface BlockEnvironment {
  readonly evm: Evm;
  readonly state: StateJournal;
  readonly context: BlockContext;
  /** Who gets the fee of each transaction at once; absent when fees are paid at the end of the block. */
  readonly feeRecipient?: Address | undefined;
  /** Most computation cost of one transaction; absent = no limit. */
  readonly computationLimit?: bigint | undefined;
}

/** What may differ from one transaction of a block to the next. */
export interface TransactionOptions {
  readonly tracer?: Tracer | undefined;
  /** Epoch milliseconds at which the engine gives up with `EvmTimeout`; absent = never. */
  readonly deadline?: number | undefined;
  /** What it may take of its thread, before it is given up with `BudgetSpent`; absent = anything. */
  readonly budget?: RunBudget | undefined;
  /** Told what came of it while the journal's transaction is still open: destroyed accounts are there until it ends. */
  readonly beforeEnd?: ((ended: EndedTransaction) => void) | undefined;
}

/** What a transaction or call came to. */
export interface EndedTransaction {
  readonly gasUsed: bigint;
  readonly output: Uint8Array;
  /** The error's own text; absent on success. */
  readonly error?: string | undefined;
}

/** Where a block context comes from. */
export interface BlockSource {
  /** Needs neither roots nor seals: number, time, parent, base fee and randao fields suffice. */
  readonly header: Header;
  /** Address that proposes the block. */
  readonly author: Address;
  readonly rules: Rules;
  /** Hash of an ancestor by its number; called for the last 256 blocks only. */
  ancestorHash(number: bigint): Hash | undefined;
}

/** How far back the BLOCKHASH opcode sees. */
const BLOCK_HASH_WINDOW = 256n;

/** What the opcodes see of a block. */
export function createBlockContext({ header, author, rules, ancestorHash }: BlockSource): BlockContext {
  const baseFee = header.baseFee ?? 0n;
  return {
    rules,
    number: header.number,
    time: header.time,
    coinbase: author,
    prevRandao: randomOf(header, rules),
    baseFee,
    blobBaseFee: header.excessBlobGas === undefined ? 0n : blobBaseFee(baseFee),
    gasLimit: 0n,
    blockHash(number) {
      if (number >= header.number || number + BLOCK_HASH_WINDOW < header.number) return ZERO_HASH;
      if (number === header.number - 1n) return header.parentHash;
      return ancestorHash(number) ?? ZERO_HASH;
    },
  };
}

/** DIFFICULTY is the block score until kore; from then on opcode 0x44 is the parent hash, from randao the mix hash. */
function randomOf(header: Header, rules: Rules): bigint {
  if (!rules.kore) return header.blockScore;
  // Where later optional fields follow, an absent mix hash is stored as an empty one.
  return bytesToBigint(header.mixHash?.length === 32 ? header.mixHash : header.parentHash);
}

/** Most computation cost of one transaction in a block. Measured on reference node v2.2.1. */
export function computationLimitAt(rules: Rules): bigint {
  return rules.cancun ? 150_000_000n : 100_000_000n;
}
