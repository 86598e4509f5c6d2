import { ChainTransactionPool } from "../../../src/ledger/txpool/transaction-pool.ts";
import type { Ledger } from "../../../src/node/storage/ledger.ts";
import { bytesToHex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { decodeTransaction } from "../../../src/protocol/transaction/decoding.ts";
import { recoverSigners, senderOf } from "../../../src/protocol/transaction/signatures/signers.ts";
import type { Recording, SentTransaction } from "./recording.ts";

/** A transaction rejected by the reference's pool. */
export interface Refusal {
  readonly name: string;
  readonly raw: Uint8Array;
  /** The error message. */
  readonly reason: string;
  /** Number of the latest block when it was sent, as far as the transactions around it show. */
  readonly after: bigint;
}

/**
 * How many refusals a chain has: those sent again, and those recorded without their bytes. The latter are blobs before osaka and
 * deployments above the limit of init code, of which `txpool/rules/admission.test.ts` builds its own, with the same texts.
 */
export interface RefusalCounts {
  readonly sent: number;
  readonly withoutBytes: number;
}

/** Those of the chains in `test/fixtures/chains`: a recording that loses refusals, or their bytes, would pass unnoticed. */
export const RECORDED_REFUSALS: Readonly<Record<string, RefusalCounts>> = {
  "all-types": { sent: 49, withoutBytes: 1 },
  bft4: { sent: 0, withoutBytes: 0 },
  forks: { sent: 69, withoutBytes: 54 },
  "load-evm": { sent: 0, withoutBytes: 0 },
};

/** @throws Error if a chain of the fixtures has other numbers of refusals than were recorded, or is not known */
export function checkRefusalCounts(chain: string, { sent, withoutBytes }: RefusalCounts): void {
  const recorded = RECORDED_REFUSALS[chain];
  if (recorded === undefined) throw new Error("no refusals are noted for this chain");
  if (sent !== recorded.sent || withoutBytes !== recorded.withoutBytes)
    throw new Error(
      `${sent} sent again and ${withoutBytes} without bytes instead of ${recorded.sent} and ${recorded.withoutBytes}`,
    );
}

/**
 * Rejected by the rules of the previous block: the reference's pool learns of a new head with a delay. The hash, and the latest
 * block known to its pool.
 */
const REFUSED_BY_OLD_RULES: ReadonlyMap<string, bigint> = new Map([
  ["0xad4f8cc379fac26b135b2142a417eb0ecc13bf4963065234715241eb37d4aed5", 38n],
]);

/** The rejected transactions of a chain, by the block after which they were sent. */
export function refusalsOf(recording: Recording, chainId: bigint): readonly Refusal[] {
  const { byHash, byNonce } = heightsOf(recording);
  const refusals: Refusal[] = [];
  let after = 0n;
  for (const sent of recording.sent) {
    const height = byHash.get(sent.hash) ?? 0n;
    if (height > after) after = height;
    if (sent.rejected === undefined || sent.raw === undefined) continue;
    const raw = hexToBytes(sent.raw);
    // The included transaction with its nonce was sent later, whatever precedes it in the list.
    const taken = byNonce.get(nonceKey(raw, chainId));
    const newest = taken !== undefined && taken <= after ? taken - 1n : after;
    refusals.push(refusalOf(sent, raw, REFUSED_BY_OLD_RULES.get(sent.hash) ?? newest));
  }
  return refusals.sort((a, b) => Number(a.after - b.after));
}

function refusalOf({ label, type, rejected = "" }: SentTransaction, raw: Uint8Array, after: bigint): Refusal {
  const reason = rejected.slice(rejected.indexOf(": ") + 2);
  return { name: `refusal after block ${after} of ${type}, ${label}`, raw, reason, after };
}

function heightsOf({ transactions }: Recording) {
  const byHash = new Map<string, bigint>();
  const byNonce = new Map<string, bigint>();
  for (const [number, list] of Object.entries(transactions)) {
    for (const { hash, kaia } of list) {
      byHash.set(hash, BigInt(number));
      byNonce.set(`${kaia["from"]} ${BigInt(kaia["nonce"] as string)}`, BigInt(number));
    }
  }
  return { byHash, byNonce };
}

function nonceKey(raw: Uint8Array, chainId: bigint): string {
  const tx = decodeTransaction(raw);
  recoverSigners(tx, chainId);
  return `${bytesToHex(senderOf(tx, chainId))} ${tx.nonce}`;
}

/** Sends a rejected transaction to a pool at the current head. @throws Error if the response differs */
export async function checkRefusal({ raw, reason }: Refusal, { chain, recovery }: Ledger): Promise<void> {
  const now = () => Number(chain.head.header.time) * 1000;
  const pool = new ChainTransactionPool({ chain, recovery, now });
  let answer = "taken";
  try {
    await pool.add(decodeTransaction(raw), { local: true });
  } catch (error) {
    answer = (error as Error).message;
  }
  if (answer !== reason) throw new Error(`"${answer}" instead of "${reason}"`);
}
