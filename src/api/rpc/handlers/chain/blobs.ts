import type { Chain } from "../../../../ledger/chain/chain.ts";
import type { SidecarTable } from "../../../../ledger/chain/tables/sidecar-table.ts";
import { bytesToHex, hexQuantity } from "../../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../../protocol/transaction/hash.ts";
import type { Transaction } from "../../../../protocol/transaction/transaction.ts";
import { TypeCode } from "../../../../protocol/transaction/types.ts";
import { refused } from "../../engine/errors.ts";
import type { blobs } from "../../spec/chain/blobs.ts";
import type { Handlers } from "../../spec/method.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import { noBlock } from "./chain-reader.ts";

/** Bytes shown of a blob that is not shown in full. */
const SHOWN_BYTES = 32;

/** Sidecars of the eth namespace. */
export function blobHandlers(chain: Chain, sidecars: Pick<SidecarTable, "get">): Handlers<typeof blobs> {
  const show = (number: bigint, index: number, tx: Transaction, full: boolean): WireObject => {
    const sidecar = sidecars.get(number, index);
    if (sidecar === undefined) throw refused("blob file not found");
    const { version, blobs: whole, commitments, proofs } = sidecar;
    return {
      blobSidecar: {
        blobs: whole.map((blob) => bytesToHex(full ? blob : blob.subarray(0, SHOWN_BYTES))),
        commitments: commitments.map(bytesToHex),
        proofs: proofs.map(bytesToHex),
        version,
      },
      blockHash: bytesToHex(chain.hash(number) as Uint8Array),
      blockNumber: hexQuantity(number),
      txHash: bytesToHex(transactionHash(tx)),
      txIndex: hexQuantity(BigInt(index)),
    };
  };
  return {
    getBlobSidecars({ number = "latest", full }) {
      if (number === "pending") throw refused("pending block not supported");
      const wanted = typeof number === "bigint" ? number : chain.head.header.number;
      const { transactions } = chain.block(wanted) ?? noBlock(wanted);
      return transactions.flatMap((tx, index) =>
        tx.type.code === TypeCode.blob ? [show(wanted, index, tx, full)] : [],
      );
    },
    getBlobSidecarByTxHash({ hash, full }) {
      const place = chain.locate(hash);
      const tx = place && chain.block(place.blockNumber)?.transactions[place.index];
      if (place === undefined || tx === undefined)
        throw refused(`transaction not found: ${bytesToHex(hash)}`);
      if (tx.type.code !== TypeCode.blob)
        throw refused(`transaction is not a blob transaction: ${bytesToHex(hash)}`);
      return show(place.blockNumber, place.index, tx, full);
    },
  };
}
