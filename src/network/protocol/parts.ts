import type { Block } from "../../protocol/block/block.ts";
import { encodeBlock, encodeBody } from "../../protocol/block/block-codec.ts";
import type { Header } from "../../protocol/block/header.ts";
import { decodeHeader, encodeHeader } from "../../protocol/block/header-codec.ts";
import type { Receipt } from "../../protocol/block/receipt.ts";
import { decodeReceipt, encodeReceipt } from "../../protocol/block/receipt-codec.ts";
import { encodeItem, RlpError, readHeader } from "../../protocol/codec/rlp/item.ts";
import { encodeList } from "../../protocol/codec/rlp/list.ts";
import { RlpReader } from "../../protocol/codec/rlp/reader.ts";
import { bigintToBytes } from "../../protocol/primitives/bytes.ts";
import { readSidecar, sidecarItems } from "../../protocol/transaction/blob.ts";
import { endOfLong, readTransaction } from "../../protocol/transaction/decoding.ts";
import { encodeTransaction, MAX_TRANSACTION_SIZE } from "../../protocol/transaction/encoding.ts";
import type { BlobSidecar, Transaction } from "../../protocol/transaction/transaction.ts";
import {
  address,
  bool,
  bytes,
  type Codec,
  encoded,
  fixed,
  hash,
  list,
  record,
  type Steps,
  stepped,
  uint,
  uint64,
} from "./codec.ts";

/** For lists that are limited only by the size of the message. */
const UNBOUNDED = 1 << 20;
/** Transactions read in one step, and the memory after which it ends sooner. */
const TRANSACTIONS_PER_STEP = 16;
const MEMORY_PER_STEP = 1 << 18;
/** Memory of a decoded transaction besides its encoding, and of each part in a list of its own; ten bytes can encode one, four a part. */
const TRANSACTION_MEMORY = 1024;
const PART_MEMORY = 256;
/** Maximum entries of an address book. */
const MAX_STAKERS = 4096;
/** Maximum bytes of a block number in an origin. */
const MAX_NUMBER_BYTES = 8;

/** A block header. */
export const header: Codec<Header> = encoded(decodeHeader, encodeHeader);

/** The transactions of a block: `[[transaction…]]`. */
export const body: Codec<readonly Transaction[]> = stepped(function* (reader) {
  reader.enterList("types.Body");
  const transactions = yield* listed(reader, "[]*types.Transaction");
  reader.leaveList();
  return transactions;
}, encodeBody);

/** A block without blob sidecars. */
export const block: Codec<Block> = stepped(function* (reader) {
  reader.enterList("types.extblock");
  const header = decodeHeader(reader.raw());
  const transactions = yield* listed(reader, "[]*types.Transaction");
  reader.leaveList();
  return { header, transactions };
}, encodeBlock);

/** What a pushed block says about itself. */
export interface PushedClaim {
  readonly header: Header;
  readonly totalBlockScore: bigint;
}

/** The claim of a `newBlock` message, read without its transactions. @throws RlpError */
export function pushedClaim(payload: Uint8Array): PushedClaim {
  const reader = new RlpReader(payload);
  reader.enterList("cn.newBlockData");
  const block = new RlpReader(reader.raw());
  block.enterList("types.extblock");
  return { header: decodeHeader(block.raw()), totalBlockScore: reader.uint("*big.Int") };
}

/**
 * Transactions with blob sidecars; typed ones are not wrapped in a string: the type precedes the list. Those that are too long for any pool
 * are skipped undecoded.
 */
export const transactions: Codec<readonly Transaction[]> = stepped(
  (reader) => listed(reader, "types.Transactions", MAX_TRANSACTION_SIZE),
  (values) => encodeList(values.map(encodeTransaction)),
);

/** Estimated memory of a decoded transaction besides its encoding, in bytes. */
export function memoryOf({
  signatures,
  feePayerSignatures,
  accessList,
  authorizationList,
}: Transaction): number {
  let parts = signatures.length + (feePayerSignatures?.length ?? 0) + (authorizationList?.length ?? 0);
  for (const { storageKeys } of accessList ?? []) parts += 1 + storageKeys.length;
  return TRANSACTION_MEMORY + parts * PART_MEMORY;
}

/** Reads a list of transactions, in steps. @param longest - bytes of the longest that is read; others are skipped */
function* listed(reader: RlpReader, type: string, longest = Number.POSITIVE_INFINITY): Steps<Transaction[]> {
  const list = reader.raw();
  new RlpReader(list).enterList(type);
  const { from, end } = readHeader(list, 0, list.length, true);
  const payload = list.subarray(from, end);
  const values: Transaction[] = [];
  let memory = 0;
  const hasLong = payload.length > longest;
  for (let at = 0; at < payload.length; ) {
    const skipped = hasLong ? endOfLong(payload, at, longest) : undefined;
    if (skipped !== undefined) {
      at = skipped;
      continue;
    }
    const read = readTransaction(payload, at);
    values.push(read.transaction);
    at = read.end;
    memory += memoryOf(read.transaction);
    if (values.length % TRANSACTIONS_PER_STEP !== 0 && memory < MEMORY_PER_STEP) continue;
    yield memory;
    memory = 0;
  }
  if (memory > 0) yield memory;
  return values;
}

/** Receipts of a block, in their consensus encoding. */
export const receipts: Codec<readonly Receipt[]> = list(
  "[]*types.Receipt",
  encoded(decodeReceipt, encodeReceipt),
  UNBOUNDED,
);

/** Start of a list of headers: a hash or a number. */
export type Origin = { readonly hash: Uint8Array } | { readonly number: bigint };

/** Start of a request for headers: 32 bytes are a hash, fewer are a block number. */
export const origin: Codec<Origin> = {
  read(reader) {
    const start = reader.position;
    const value = reader.bytes("uint64");
    if (value.length === 32) return { hash: value };
    if (value.length > MAX_NUMBER_BYTES) {
      throw new RlpError("RLP_SHAPE", `invalid input size ${value.length} for origin`, { start });
    }
    if (value[0] === 0) {
      throw new RlpError("RLP_NOT_CANONICAL", "rlp: non-canonical integer (leading zero bytes) for uint64");
    }
    return { number: value.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n) };
  },
  write: (value) => encodeItem("hash" in value ? value.hash : bigintToBytes(value.number)),
};

/** The address book at a block, as exchanged by peers. */
export interface StakingSummary {
  readonly blockNumber: bigint;
  readonly nodes: readonly Uint8Array[];
  readonly stakingContracts: readonly Uint8Array[];
  readonly rewardAddresses: readonly Uint8Array[];
  readonly kefAddress: Uint8Array;
  readonly kifAddress: Uint8Array;
  readonly usesGini: boolean;
  /** Between 0 and 1; a double's 64 bits on the wire. */
  readonly gini: number;
  /** KAIA, by node. */
  readonly amounts: readonly bigint[];
}

const double: Codec<number> = {
  read(reader) {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, reader.uint("uint64", 8));
    return view.getFloat64(0);
  },
  write(value) {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, value);
    return encodeItem(bigintToBytes(view.getBigUint64(0)));
  },
};

const addresses = list("[]common.Address", address, MAX_STAKERS);

/** The staking information of a block, as peers exchange it. */
export const stakingSummary: Codec<StakingSummary> = record("staking.P2PStakingInfo", {
  blockNumber: uint64,
  nodes: addresses,
  stakingContracts: addresses,
  rewardAddresses: addresses,
  kefAddress: address,
  kifAddress: address,
  usesGini: bool,
  gini: double,
  amounts: list("[]uint64", uint64, MAX_STAKERS),
});

/** Location of a blob transaction. */
export interface SidecarPlace {
  readonly blockNumber: bigint;
  readonly transactionIndex: bigint;
  readonly transactionHash: Uint8Array;
}

const place = {
  blockNumber: uint64,
  transactionIndex: uint("uint", 64),
  transactionHash: hash,
};

/** Location of a blob sidecar: its block and transaction. */
export const sidecarPlace: Codec<SidecarPlace> = record("cn.blobSidecarsRequest", place);

/** The sidecar of a blob transaction. */
export interface PlacedSidecar extends SidecarPlace {
  readonly sidecar: BlobSidecar;
}

/** A blob sidecar with its location. */
export const placedSidecar: Codec<PlacedSidecar> = record("cn.blobSidecarsData", {
  ...place,
  sidecar: {
    read(reader: RlpReader) {
      reader.enterList("types.BlobTxSidecar");
      const sidecar = readSidecar(reader);
      reader.leaveList();
      return sidecar;
    },
    write: (sidecar: BlobSidecar) => encodeItem([...sidecarItems(sidecar)]),
  },
});

/** A bid of the block space auction. */
export interface Bid {
  readonly targetTransaction: Uint8Array;
  readonly blockNumber: bigint;
  readonly sender: Uint8Array;
  readonly to: Uint8Array;
  readonly nonce: bigint;
  /** kei. */
  readonly bid: bigint;
  readonly callGasLimit: bigint;
  readonly data: Uint8Array;
  readonly searcherSignature: Uint8Array;
  readonly auctioneerSignature: Uint8Array;
}

/** A bid of the block space auction. */
export const bid: Codec<Bid> = record("auction.BidData", {
  targetTransaction: fixed(32, "common.Hash"),
  blockNumber: uint64,
  sender: address,
  to: address,
  nonce: uint64,
  bid: uint("*big.Int"),
  callGasLimit: uint64,
  data: bytes,
  searcherSignature: bytes,
  auctioneerSignature: bytes,
});
