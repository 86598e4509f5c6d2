import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import { verifyBody } from "../../../ledger/chain/execute/body-rules.ts";
import type { CandidateBlock } from "../../../ledger/chain/execute/candidate-block.ts";
import type { ConsensusRules } from "../../../ledger/chain/execute/consensus-rules.ts";
import { hasCode } from "../../../protocol/account/account.ts";
import { contractAddress } from "../../../protocol/account/address.ts";
import { mergeBlooms } from "../../../protocol/block/bloom.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import { deriveSha } from "../../../protocol/block/list-root.ts";
import { encodeReceipt } from "../../../protocol/block/receipt-codec.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { type Address, EMPTY_BYTES, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { recipientOf } from "../../../protocol/transaction/recipient.ts";
import { impersonatedBy } from "../../../protocol/transaction/signatures/impersonation.ts";
import type { SenderRecovery } from "../../../protocol/transaction/signatures/recovery.ts";
import { keepSender, recoverSigners, senderOf } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { ChangeRecord } from "../change-log.ts";
import { ClusterError } from "../errors.ts";
import { type BlockChange, decodeChange, MAX_PAYLOAD } from "./change-codec.ts";
import { recordChecksum } from "./record-checksum.ts";

/** What a record is compared with. */
export interface RecordChecks {
  readonly chain: Blockchain;
  /** Rules and seals of headers: what the validators have not signed is refused. */
  readonly consensus: Pick<ConsensusRules, "verifyHeader">;
  readonly recovery: SenderRecovery;
  /** Whether the record is believed about who sent each transaction; by default the signatures tell. */
  readonly trustsSenders?: boolean;
}

/**
 * Checks a record against the block that it follows, which is the tip, without running its transactions: seals and rules of the
 * header, transactions with their senders, receipts, and that its changes lead from the tip's state to the root that the validators have signed.
 * @returns what `Blockchain.append` takes
 * @throws ClusterError `BAD_RECORD` that names what is wrong
 */
export async function verifyRecord(record: ChangeRecord, checks: RecordChecks): Promise<CandidateBlock> {
  const { chain, consensus } = checks;
  const change = readRecord(record);
  const { block, receipts } = change;
  const { header } = block;
  const { tip } = chain;
  if (!equalBytes(header.parentHash, tip.hash) || header.number !== tip.header.number + 1n)
    throw bad(record, "it does not follow the block before it");
  // Other cores do that meanwhile.
  const known = knowSenders(change, checks);
  known.catch(() => {}); // told below
  try {
    consensus.verifyHeader(header, tip.header);
    verifyBody(block, chain.rulesAt(header.number), chain.params.at(header.number).deriveShaImpl);
  } catch (error) {
    throw bad(record, (error as Error).message, error);
  }
  checkReceipts(record, change, checks);
  checkCodes(record, change, chain);
  const staged = chain.store.stage(change.changes);
  if (!equalBytes(staged.root, header.stateRoot)) throw bad(record, "its changes lead to another state root");
  await known.catch((error) => {
    throw bad(record, (error as Error).message, error);
  });
  checkCreated(record, change, chain.config.chainId);
  const totals = {
    ...{ receipts, gasUsed: header.gasUsed, blobGasUsed: header.blobGasUsed ?? 0n },
    ...{ totalFee: 0n, bloom: header.bloom, remarks: new Map() },
  };
  return { block, totals, changes: change.changes, staged };
}

/**
 * The block of a record, which is compared with the record and nothing else.
 * @throws ClusterError `BAD_RECORD`
 */
export function readRecord(record: ChangeRecord): BlockChange {
  const { payload, checksum } = record;
  if (payload === undefined || payload.length > MAX_PAYLOAD)
    throw bad(record, `it has ${record.size} bytes, more than ${MAX_PAYLOAD}`);
  if (!equalBytes(recordChecksum(record, payload), checksum)) throw bad(record, "its checksum is another");
  const change = decoded(record, payload);
  const { header } = change.block;
  if (header.number !== record.height || !equalBytes(blockHash(header), record.hash))
    throw bad(record, "it holds another block than it says");
  if (!equalBytes(header.parentHash, record.parentHash)) throw bad(record, "its block has another parent");
  if (!equalBytes(header.stateRoot, record.stateRoot)) throw bad(record, "its block has another state root");
  return change;
}

/** Has the transactions know their senders. @throws RangeError, TransactionError for one that is not who signed */
async function knowSenders(
  { block: { transactions }, senders }: BlockChange,
  { chain, recovery, trustsSenders }: RecordChecks,
): Promise<void> {
  if (!trustsSenders) await recovery.recover(transactions);
  for (const [i, transaction] of transactions.entries()) {
    const sender = senders[i] as Address;
    if (trustsSenders) keepSender(transaction, sender);
    else if (!isSentBy(transaction, sender, chain.config.chainId))
      throw new RangeError(`transaction ${i} was not sent by ${bytesToHex(sender)}${hintOf(transaction)}`);
  }
}

/** @throws TransactionError for signatures that are none, unless they stand for an account that is impersonated */
function isSentBy(transaction: Transaction, sender: Address, chainId: bigint): boolean {
  if (hintOf(transaction) !== "") return false;
  return equalBytes(recoverSigners(transaction, chainId).sender, sender);
}

function hintOf({ signatures, feePayerSignatures = [] }: Transaction): string {
  const isStandIn = [...signatures, ...feePayerSignatures].some((signature) => impersonatedBy(signature));
  return isStandIn
    ? ", but by an account that a development chain impersonates: follow it with --verify hash"
    : "";
}

function decoded(record: ChangeRecord, payload: Uint8Array): BlockChange {
  try {
    return decodeChange(payload, keccak256);
  } catch (error) {
    throw bad(record, `it cannot be read: ${(error as Error).message}`, error);
  }
}

function checkReceipts(
  record: ChangeRecord,
  { block, receipts }: BlockChange,
  { chain }: RecordChecks,
): void {
  const { header, transactions } = block;
  if (receipts.length !== transactions.length)
    throw bad(record, "it has not one receipt for each transaction");
  const gasUsed = receipts.reduce((sum, receipt) => sum + receipt.gasUsed, 0n);
  if (gasUsed !== header.gasUsed) throw bad(record, "its receipts use another amount of gas");
  if (!equalBytes(mergeBlooms(receipts.map(({ bloom }) => bloom)), header.bloom))
    throw bad(record, "its receipts have another bloom");
  const { deriveShaImpl } = chain.params.at(header.number);
  if (!equalBytes(deriveSha(deriveShaImpl, receipts.map(encodeReceipt)), header.receiptsRoot))
    throw bad(record, "its receipts have another root");
}

/** The address of a created contract is in no root. */
function checkCreated(record: ChangeRecord, { block, receipts }: BlockChange, chainId: bigint): void {
  for (const [i, receipt] of receipts.entries()) {
    const created = createdBy(block.transactions[i] as Transaction, chainId);
    if (!equalBytes(created ?? EMPTY_BYTES, receipt.contractAddress ?? EMPTY_BYTES))
      throw bad(record, `the receipt of transaction ${i} names another contract`);
  }
}

/** The state root has only the hashes of codes: the codes themselves must be there too. */
function checkCodes(record: ChangeRecord, { changes }: BlockChange, { store }: Blockchain): void {
  const latest = store.latest();
  const brought = new Set(changes.codes.map(({ hash }) => bytesToHex(hash)));
  for (const { address, account } of changes.accounts) {
    if (account === undefined || !hasCode(account)) continue;
    const before = latest.account(address);
    if (before && equalBytes(before.codeHash, account.codeHash)) continue;
    if (!brought.has(bytesToHex(account.codeHash)) && store.code(account.codeHash) === undefined)
      throw bad(record, `the code of ${bytesToHex(address)} is missing`);
  }
}

/** Address of the contract that a transaction creates. */
function createdBy(transaction: Transaction, chainId: bigint): Address | undefined {
  if (recipientOf(transaction) !== undefined) return undefined;
  return contractAddress(senderOf(transaction, chainId), transaction.nonce);
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
