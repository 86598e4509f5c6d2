import type { PoolContents, TransactionPool } from "../../../../ledger/txpool/pool.ts";
import { runPaced } from "../../../../platform/runtime/turns/pace.ts";
import { checksumAddress } from "../../../../protocol/account/address.ts";
import { type Json, stringify } from "../../../../protocol/codec/json/value.ts";
import { hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { recipientOf } from "../../../../protocol/transaction/recipient.ts";
import type { Transaction } from "../../../../protocol/transaction/transaction.ts";
import type { UnitName } from "../../dialects/dialect.ts";
import { BoundedText } from "../../engine/text/bounded-text.ts";
import type { Draft } from "../../engine/text/draft.ts";
import { byName } from "../../engine/text/list-text.ts";
import { renderTransaction } from "../../render/transaction.ts";
import type { Caller, HeavyReads } from "../../services/heavy-reads.ts";
import type { Handlers } from "../../spec/method.ts";
import type { senderPool, txpool } from "../../spec/transactions/txpool.ts";
import { JsonText } from "../../spec/values/json-text.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";

/** `txpool_*`. */
export function txpoolHandlers(
  pool: TransactionPool,
  chainId: bigint,
  unit: UnitName,
  reads: HeavyReads,
): Handlers<typeof txpool> {
  const list = (caller: Caller, show: (tx: Transaction) => Json) =>
    reads.run(caller, (pace, draft) => runPaced(pace, listing(pool.content(), show, draft)));
  return {
    status() {
      const { pending, queued } = pool.status();
      return { pending: BigInt(pending), queued: BigInt(queued) };
    },
    content: (_, context) => list(context, (tx) => shown(tx, chainId)),
    inspect: (_, context) => list(context, (tx) => inspect(tx, unit)),
  };
}

/** The pool's transactions of one sender. */
export function senderPoolHandlers(
  pool: TransactionPool,
  chainId: bigint,
  reads: HeavyReads,
): Handlers<typeof senderPool> {
  return {
    contentFrom: ({ address }, context) =>
      reads.run(context, (pace, draft) => {
        const show = (tx: Transaction) => shown(tx, chainId);
        return runPaced(pace, senderListing(pool.contentOf(address), show, draft));
      }),
  };
}

/** The interface specification names the hash `txHash`, the references `hash`. */
function shown(tx: Transaction, chainId: bigint): WireObject {
  const rendered = renderTransaction({ tx, chainId, index: 0 });
  return { ...rendered, txHash: rendered["hash"] as string };
}

/** The text of the pool's contents, one transaction per step: listing a full pool takes long. */
function* listing(
  contents: PoolContents,
  show: (tx: Transaction) => Json,
  draft: Draft,
): Generator<void, JsonText> {
  const text = new BoundedText(draft);
  text.add("{");
  for (const part of ["pending", "queued"] as const) {
    text.add(`${part === "pending" ? "" : ","}"${part}":{`);
    let comma = "";
    const named = [...contents[part]].map(
      ([sender, list]) => [checksumAddress(hexToBytes(sender)), list] as const,
    );
    for (const [sender, transactions] of named.sort(byName)) {
      text.add(`${comma}"${sender}":`);
      comma = ",";
      yield* addByNonce(text, transactions, show);
    }
    text.add("}");
  }
  text.add("}");
  return new JsonText(text.finish());
}

/** The text of one sender's part of the pool, one transaction per step. */
function* senderListing(
  { pending, queued }: ReturnType<TransactionPool["contentOf"]>,
  show: (tx: Transaction) => Json,
  draft: Draft,
): Generator<void, JsonText> {
  const text = new BoundedText(draft);
  text.add('{"pending":');
  yield* addByNonce(text, pending, show);
  text.add(',"queued":');
  yield* addByNonce(text, queued, show);
  text.add("}");
  return new JsonText(text.finish());
}

function* addByNonce(
  text: BoundedText,
  transactions: readonly Transaction[],
  show: (tx: Transaction) => Json,
): Generator<void> {
  text.add("{");
  const named = transactions.map((tx) => [String(tx.nonce), tx] as const);
  let comma = "";
  for (const [nonce, tx] of named.sort(byName)) {
    text.add(`${comma}"${nonce}":${stringify(show(tx))}`);
    comma = ",";
    yield;
  }
  text.add("}");
}

function inspect(tx: Transaction, unit: UnitName): string {
  const { value, gas, gasPrice } = tx;
  const to = recipientOf(tx);
  const receiver = to === undefined ? "contract creation" : checksumAddress(to);
  return `${receiver}: ${value} ${unit} + ${gas} gas × ${gasPrice} ${unit}`;
}
