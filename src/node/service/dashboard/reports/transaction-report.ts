import type { Names } from "../../../../api/artifacts/names.ts";
import type { TransactionReport } from "../../../../api/rpc/spec/dashboard/wire.ts";
import type { Provider } from "../../../../api/rpc/transports/provider.ts";
import type { Blockchain } from "../../../../ledger/chain/blockchain.ts";
import type { TransactionPosition } from "../../../../ledger/chain/chain.ts";
import { decodeAccountKey } from "../../../../protocol/account/key-codec.ts";
import { accountKeyToJson } from "../../../../protocol/account/key-json.ts";
import { NodeError } from "../../../../protocol/primitives/errors.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { decodeTransaction } from "../../../../protocol/transaction/decoding.ts";
import { encodeTransaction } from "../../../../protocol/transaction/encoding.ts";
import { effectiveGasPrice, feeShares } from "../../../../protocol/transaction/fees.ts";
import { recipientOf } from "../../../../protocol/transaction/recipient.ts";
import type { Transaction } from "../../../../protocol/transaction/transaction.ts";
import { placedIn, shownBlock, transactionRow } from "./rows.ts";
import { feePayerReport, senderReport } from "./signer-report.ts";

/** Characters of a call with its arguments. */
const MAX_CALL = 20_000;
/** Events of one report; a transaction may have tens of thousands. */
const MAX_EVENTS = 200;
/** Characters of the data of one event, and of all together. */
const MAX_DATA = { event: 20_000, all: 400_000 };

/** Dependencies of the reports. */
export interface ReportParts {
  readonly chain: Blockchain;
  readonly names: Names;
  readonly request: Provider["request"];
}

/** All that is known of a transaction in the chain or the pool; null if it is unknown. */
export async function transactionReport(
  hash: Uint8Array,
  parts: ReportParts,
): Promise<TransactionReport | null> {
  const { chain, names, request } = parts;
  const id = bytesToHex(hash);
  const ask = (method: string): Promise<Readonly<Record<string, unknown>> | null> =>
    request({ method, params: [id] }) as Promise<Readonly<Record<string, unknown>> | null>;
  const transaction = await ask("kaia_getTransactionByHash");
  if (transaction === null) return null;
  const place = chain.locate(hash);
  const tx = place === undefined ? await waiting(id, request) : chain.transaction(place);
  if (tx === undefined) return null;
  const number = place?.blockNumber ?? chain.head.header.number + 1n;
  const { chainId } = chain.config;
  const context = {
    chainId,
    rules: chain.rulesAt(number),
    state: number > 0n ? chain.stateAt(number - 1n) : undefined,
  };
  const input = tx.input ?? new Uint8Array();
  const to = recipientOf(tx);
  const call = to === undefined ? names.creation(input) : names.call(to, input);
  return {
    hash: id,
    typeName: tx.type.name.replace("TxType", ""),
    typeCode: tx.type.code,
    raw: bytesToHex(encodeTransaction(tx)),
    transaction,
    receipt: place === undefined ? null : shortened(await ask("kaia_getTransactionReceipt")),
    ...inBlock(place, tx, parts),
    call: call === undefined ? null : call.slice(0, MAX_CALL),
    contract: (to && names.contract(to)) ?? null,
    newKey: tx.key === undefined ? null : installedKey(tx.key),
    sender: senderReport(tx, context),
    feePayer: feePayerReport(tx, context),
  };
}

type InBlock = Pick<
  TransactionReport,
  "row" | "time" | "fee" | "senderFee" | "feePayerFee" | "events" | "eventCount"
>;

/** What only a transaction of a block has. */
function inBlock(
  place: TransactionPosition | undefined,
  tx: Transaction,
  { chain, names }: ReportParts,
): InBlock {
  const shown = place && shownBlock(chain, place.blockNumber);
  const receipt = place && shown?.receipts[place.index];
  if (place === undefined || shown === undefined || receipt === undefined)
    return {
      row: null,
      time: null,
      fee: null,
      senderFee: null,
      feePayerFee: null,
      events: [],
      eventCount: 0,
    };
  const { header } = shown.block;
  const rules = chain.rulesAt(header.number);
  const fee =
    receipt.gasUsed * effectiveGasPrice(tx, rules.magma ? (header.baseFee ?? 0n) : undefined, rules);
  const shares = feeShares(tx, fee);
  return {
    row: transactionRow(placedIn(shown, place.index), { chainId: chain.config.chainId, names }),
    time: Number(header.time),
    fee: String(fee),
    senderFee: String(shares.sender),
    feePayerFee: String(shares.feePayer),
    eventCount: receipt.logs.length,
    events: receipt.logs.slice(0, MAX_EVENTS).map((log) => names.log(log)?.slice(0, MAX_CALL) ?? null),
  };
}

/** A receipt with the first events alone, and the beginnings of their data. */
function shortened(receipt: Readonly<Record<string, unknown>> | null): TransactionReport["receipt"] {
  const logs = receipt?.["logs"];
  if (!Array.isArray(logs)) return receipt;
  const shown = logs.slice(0, MAX_EVENTS) as { readonly data: string }[];
  const max = Math.min(MAX_DATA.event, Math.floor(MAX_DATA.all / shown.length));
  const cut = (log: (typeof shown)[number]) =>
    log.data.length > max ? { ...log, data: `${log.data.slice(0, max)}…` } : log;
  return { ...receipt, logs: shown.map(cut) };
}

/** The key of an account update as JSON; its bytes as hex where they are no key. */
export function installedKey(encoded: Uint8Array): unknown {
  try {
    return accountKeyToJson(decodeAccountKey(encoded));
  } catch (error) {
    if (error instanceof NodeError) return bytesToHex(encoded);
    throw error;
  }
}

/** A transaction of the pool. */
async function waiting(hash: string, request: Provider["request"]): Promise<Transaction | undefined> {
  const raw = await request({ method: "eth_getRawTransactionByHash", params: [hash] });
  return typeof raw === "string" && raw.length > 2 ? decodeTransaction(hexToBytes(raw)) : undefined;
}
