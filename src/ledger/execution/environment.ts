import { blobBaseFee } from "../../protocol/block/blob-gas.ts";
import type { Header } from "../../protocol/block/header.ts";
import type { Rules } from "../../protocol/params/forks.ts";
import { type Address, bytesToBigint, type Hash, ZERO_HASH } from "../../protocol/primitives/bytes.ts";
import type { BlockContext, Evm, RunBudget, Tracer } from "../evm/evm.ts";
import type { StateJournal } from "../state/journal/journal-types.ts";

/** The environment shared by the transactions of one block. */
export interface BlockEnvironment {
  readonly evm: Evm;
  readonly state: StateJournal;
  readonly context: BlockContext;
  /** Receives the fee of each transaction immediately; absent if fees are paid at the end of the block. */
  readonly feeRecipient?: Address | undefined;
  /** Maximum computation cost of one transaction; absent = no limit. */
  readonly computationLimit?: bigint | undefined;
}

/** Per-transaction settings of execution. */
export interface TransactionOptions {
  readonly tracer?: Tracer | undefined;
  /** Epoch milliseconds at which the engine aborts with `EvmTimeout`; absent = never. */
  readonly deadline?: number | undefined;
  /** Time budget on this thread, beyond which execution is aborted with `BudgetSpent`; absent = unlimited. */
  readonly budget?: RunBudget | undefined;
  /** Called with the outcome before the journal's transaction ends, while destroyed accounts still exist. */
  readonly beforeEnd?: ((ended: EndedTransaction) => void) | undefined;
}

/** The outcome of a transaction or call. */
export interface EndedTransaction {
  readonly gasUsed: bigint;
  readonly output: Uint8Array;
  /** The EVM's error text; absent on success. */
  readonly error?: string | undefined;
}

/** The source of a block context. */
export interface BlockContextSource {
  /** May lack roots and seals: only number, time, parent, base fee and randao fields are used. */
  readonly header: Header;
  /** Proposer of the block. */
  readonly author: Address;
  readonly rules: Rules;
  /** Hash of an ancestor by number; called for the last 256 blocks only. */
  ancestorHash(number: bigint): Hash | undefined;
}

/** How many blocks back the BLOCKHASH opcode reaches. */
const BLOCK_HASH_WINDOW = 256n;

/** The block context seen by opcodes. */
export function createBlockContext({
  header,
  author,
  rules,
  ancestorHash,
}: BlockContextSource): BlockContext {
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
  // If later optional fields follow, an absent mix hash is encoded as an empty one.
  return bytesToBigint(header.mixHash?.length === 32 ? header.mixHash : header.parentHash);
}

/** Maximum computation cost of one transaction in a block. Measured on reference node v2.2.1. */
export function computationLimitAt(rules: Rules): bigint {
  return rules.cancun ? 150_000_000n : 100_000_000n;
}
