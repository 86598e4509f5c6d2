import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import { verifyBodyInSteps } from "../../../ledger/chain/execute/body-rules.ts";
import type { CandidateBlock } from "../../../ledger/chain/execute/candidate-block.ts";
import type { ConsensusRules } from "../../../ledger/chain/execute/consensus-rules.ts";
import { type Pace, runPaced } from "../../../platform/runtime/turns/pace.ts";
import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import { hasCode } from "../../../protocol/account/account.ts";
import { contractAddress } from "../../../protocol/account/address.ts";
import { mergeBlooms } from "../../../protocol/block/bloom.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { deriveShaInSteps } from "../../../protocol/block/list-root.ts";
import { encodeReceiptInSteps } from "../../../protocol/block/receipt-codec.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { type Address, EMPTY_BYTES, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { recipientOf } from "../../../protocol/transaction/recipient.ts";
import { impersonatedBy } from "../../../protocol/transaction/signatures/impersonation.ts";
import type { SenderRecovery } from "../../../protocol/transaction/signatures/recovery.ts";
import { keepSender, senderOf } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { ChangeRecord } from "../change-log.ts";
import { ClusterError } from "../errors.ts";
import { type BlockChange, decodeChangeInSteps, MAX_PAYLOAD, rowsPaidFor } from "./change-codec.ts";
import { recordChecksumInSteps } from "./record-checksum.ts";

/** Receipts encoded or merged per step. */
const RECEIPTS_PER_STEP = 256;
/** Accounts looked up per step. */
const ACCOUNTS_PER_STEP = 256;

/** Dependencies of the verification of records. */
export interface RecordChecks {
  readonly chain: Blockchain;
  /** Verifies headers and their seals. */
  readonly consensus: Pick<ConsensusRules, "verifyHeader">;
  readonly recovery: SenderRecovery;
  /** Whether to trust the senders in the record; by default they are recovered from the signatures. */
  readonly trustsSenders?: boolean;
}

/** A verified record. */
export interface VerifiedRecord {
  /** For `Blockchain.insert`. */
  readonly candidate: CandidateBlock;
  /** The senders in the record, if they are still to be compared; see `checkSenders`. */
  readonly claimed: readonly Address[] | undefined;
}

/**
 * Verifies a record against its parent, the tip, without executing its transactions: header rules and seals, transactions, receipts, and
 * that its changes lead from the tip's state to the root that the validators have signed. Senders depend only on the transactions and are
 * recovered after the block is published, except for those that create contracts. The header comes first, since nobody but the validators
 * can make one; everything is read and hashed in time slices.
 * @throws ClusterError `BAD_RECORD` with the reason
 */
export async function verifyRecord(
  record: ChangeRecord,
  checks: RecordChecks,
  pace: Pace = new TimeSlice(),
): Promise<VerifiedRecord> {
  const { chain, recovery, trustsSenders = false } = checks;
  const change = await runPaced(
    pace,
    // On a development chain edits, which need no gas, are part of the next record.
    readInSteps(
      record,
      (header) => checkHeader(record, header, checks),
      trustsSenders ? undefined : rowsPaidFor,
    ),
  );
  const { block, receipts } = change;
  const { header, transactions } = block;
  const creating = transactions.filter((transaction) => recipientOf(transaction) === undefined);
  if (trustsSenders) trustSenders(change);
  else checkSigned(record, transactions);
  // Runs on other cores meanwhile.
  const known = trustsSenders ? undefined : recovery.recover(creating);
  known?.catch(() => {}); // reported below
  await runPaced(pace, checkContents(record, change, checks));
  const staged = await runPaced(pace, chain.store.stageInSteps(change.changes));
  if (!equalBytes(staged.root, header.stateRoot)) throw bad(record, "its changes lead to another state root");
  await known;
  checkCreated(record, change, chain.config.chainId);
  const totals = {
    ...{ receipts, gasUsed: header.gasUsed, blobGasUsed: header.blobGasUsed ?? 0n },
    ...{ totalFee: 0n, bloom: header.bloom, remarks: new Map() },
  };
  const candidate = { block, totals, changes: change.changes, staged, isUnattributed: !trustsSenders };
  return { candidate, claimed: trustsSenders ? undefined : change.senders };
}

/**
 * Compares the senders in a record with those recovered from the signatures.
 * @throws ClusterError `BAD_RECORD`
 */
export function checkSenders(
  record: ChangeRecord,
  transactions: readonly Transaction[],
  claimed: readonly Address[],
  chainId: bigint,
): void {
  for (const [i, transaction] of transactions.entries()) {
    const sender = claimed[i] as Address;
    if (!equalBytes(senderOf(transaction, chainId), sender))
      throw bad(record, `transaction ${i} was not sent by ${bytesToHex(sender)}`);
  }
}

/**
 * Decodes a record in time slices, checking only its internal consistency.
 * @throws ClusterError `BAD_RECORD`
 */
export async function readRecord(record: ChangeRecord, pace: Pace = new TimeSlice()): Promise<BlockChange> {
  return runPaced(
    pace,
    readInSteps(record, () => {}),
  );
}

function* readInSteps(
  record: ChangeRecord,
  checkHeader: (header: Header) => void,
  mostRows?: (header: Header) => number,
): Generator<void, BlockChange> {
  const { payload, checksum } = record;
  if (payload === undefined || payload.length > MAX_PAYLOAD)
    throw bad(record, `it has ${record.size} bytes, more than ${MAX_PAYLOAD}`);
  const sum = yield* recordChecksumInSteps(record, payload);
  if (!equalBytes(sum, checksum)) throw bad(record, "its checksum is another");
  try {
    return yield* decodeChangeInSteps(payload, {
      hashCode: keccak256,
      ...(mostRows && { mostRows }),
      checkHeader(header) {
        checkIdentity(record, header);
        checkHeader(header);
      },
    });
  } catch (error) {
    if (error instanceof ClusterError) throw error;
    throw bad(record, `it cannot be read: ${(error as Error).message}`, error);
  }
}

/** Checks that the block is the one that the record names. */
function checkIdentity(record: ChangeRecord, header: Header): void {
  if (header.number !== record.height || !equalBytes(blockHash(header), record.hash))
    throw bad(record, "it holds another block than it says");
  if (!equalBytes(header.parentHash, record.parentHash)) throw bad(record, "its block has another parent");
  if (!equalBytes(header.stateRoot, record.stateRoot)) throw bad(record, "its block has another state root");
}

/** Checks that the block follows the tip, and its header rules and seals. */
function checkHeader(
  record: ChangeRecord,
  header: Header,
  { chain: { tip }, consensus }: RecordChecks,
): void {
  if (!equalBytes(header.parentHash, tip.hash) || header.number !== tip.header.number + 1n)
    throw bad(record, "it does not follow the block before it");
  try {
    consensus.verifyHeader(header, tip.header);
  } catch (error) {
    throw bad(record, (error as Error).message, error);
  }
}

/** Checks body, receipts and codes. */
function* checkContents(
  record: ChangeRecord,
  change: BlockChange,
  { chain }: RecordChecks,
): Generator<void, void> {
  const { header } = change.block;
  try {
    yield* verifyBodyInSteps(
      change.block,
      chain.rulesAt(header.number),
      chain.params.at(header.number).deriveShaImpl,
    );
  } catch (error) {
    throw bad(record, (error as Error).message, error);
  }
  yield* checkReceipts(record, change, chain);
  yield* checkCodes(record, change, chain);
}

/** Attaches the record's senders to the transactions. */
function trustSenders({ block, senders }: BlockChange): void {
  for (const [i, transaction] of block.transactions.entries()) keepSender(transaction, senders[i] as Address);
}

/** Rejects impersonation signatures, from which no sender can be recovered. */
function checkSigned(record: ChangeRecord, transactions: readonly Transaction[]): void {
  for (const [i, { signatures, feePayerSignatures = [] }] of transactions.entries())
    if ([...signatures, ...feePayerSignatures].some((signature) => impersonatedBy(signature)))
      throw bad(
        record,
        `transaction ${i} was sent by an account that a development chain impersonates: follow it with --verify hash`,
      );
}

function* checkReceipts(
  record: ChangeRecord,
  { block, receipts }: BlockChange,
  chain: Blockchain,
): Generator<void, void> {
  const { header } = block;
  const gasUsed = receipts.reduce((sum, receipt) => sum + receipt.gasUsed, 0n);
  if (gasUsed !== header.gasUsed) throw bad(record, "its receipts use another amount of gas");
  const blooms: Uint8Array[] = [];
  for (let at = 0; at < receipts.length; at += RECEIPTS_PER_STEP) {
    blooms.push(mergeBlooms(receipts.slice(at, at + RECEIPTS_PER_STEP).map(({ bloom }) => bloom)));
    yield;
  }
  if (!equalBytes(mergeBlooms(blooms), header.bloom)) throw bad(record, "its receipts have another bloom");
  const encoded: Uint8Array[] = [];
  for (const receipt of receipts) {
    const steps = encodeReceiptInSteps(receipt);
    const bytes = steps instanceof Uint8Array ? steps : yield* steps;
    if (encoded.push(bytes) % RECEIPTS_PER_STEP === 0) yield;
  }
  const { deriveShaImpl } = chain.params.at(header.number);
  if (!equalBytes(yield* deriveShaInSteps(deriveShaImpl, encoded), header.receiptsRoot))
    throw bad(record, "its receipts have another root");
}

/** Checks the addresses of created contracts, which no root covers. */
function checkCreated(record: ChangeRecord, { block, receipts }: BlockChange, chainId: bigint): void {
  for (const [i, receipt] of receipts.entries()) {
    const created = createdBy(record, block.transactions[i] as Transaction, chainId);
    if (!equalBytes(created ?? EMPTY_BYTES, receipt.contractAddress ?? EMPTY_BYTES))
      throw bad(record, `the receipt of transaction ${i} names another contract`);
  }
}

/** Checks that all codes are present: the state root covers only their hashes. */
function* checkCodes(
  record: ChangeRecord,
  { changes }: BlockChange,
  { store }: Blockchain,
): Generator<void, void> {
  const latest = store.latest();
  const brought = new Set(changes.codes.map(({ hash }) => bytesToHex(hash)));
  for (const [i, { address, account }] of changes.accounts.entries()) {
    if (i % ACCOUNTS_PER_STEP === ACCOUNTS_PER_STEP - 1) yield;
    if (account === undefined || !hasCode(account)) continue;
    const before = latest.account(address);
    if (before && equalBytes(before.codeHash, account.codeHash)) continue;
    if (!brought.has(bytesToHex(account.codeHash)) && store.code(account.codeHash) === undefined)
      throw bad(record, `the code of ${bytesToHex(address)} is missing`);
  }
}

/** Address of the contract that a transaction creates. */
function createdBy(record: ChangeRecord, transaction: Transaction, chainId: bigint): Address | undefined {
  if (recipientOf(transaction) !== undefined) return undefined;
  try {
    return contractAddress(senderOf(transaction, chainId), transaction.nonce);
  } catch (error) {
    throw bad(record, (error as Error).message, error);
  }
}

function bad(record: ChangeRecord, what: string, cause?: unknown): ClusterError {
  const { height, epoch } = record;
  return new ClusterError(
    "BAD_RECORD",
    `the record of block ${height} is refused: ${what}`,
    { height, epoch },
    { cause },
  );
}
