import { InvalidParamsError } from "../../../../protocol/codec/json/errors.ts";
import { hash } from "../../../../protocol/codec/json/hex.ts";
import { list, nullable, object, wire } from "../../../../protocol/codec/json/object.ts";
import { boolean, text } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required, type Schema } from "../../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import type { Address, Hash } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { inFilter, joinedLists } from "../block-range.ts";
import { NO_FILTER } from "../declared-errors.ts";
import { method, subscription } from "../method.ts";
import { type BlockNumber, blockNumber, klaytnBlockNumber, numberAt } from "../values/block-ref.ts";
import { filterChanges, header, log, logs, pendingTransaction, syncStatus } from "../values/wire-types.ts";

/** Criteria of a log filter. */
export interface LogQuery {
  readonly blockHash?: Hash;
  readonly fromBlock?: BlockNumber;
  readonly toBlock?: BlockNumber;
  /** Any of these; empty = any address. */
  readonly addresses: readonly Address[];
  /** Alternatives for each topic position; an empty position matches every topic. */
  readonly topics: readonly (readonly Hash[])[];
}

function querySchema(number: Schema<BlockNumber>): Schema<LogQuery> {
  const query = object(
    "LogFilter",
    {
      blockHash: optional(hash, "The only block to search."),
      fromBlock: optional(number, "First block to search; default latest."),
      toBlock: optional(number, "Last block to search; default latest."),
      address: optional(
        wire<Json>("address or addresses", {}),
        "Contracts whose logs are wanted; default all.",
      ),
      topics: optional(list(wire<Json>("topic or topics", {}), "[]interface {}"), "Topics by position."),
    },
    { goType: "filters.input" },
  );
  return {
    ...query,
    decode(value) {
      const { blockHash, fromBlock, toBlock, address, topics } = query.decode(value);
      if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined))
        throw refusal("cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other", value);
      return {
        ...(blockHash && { blockHash }),
        ...(fromBlock !== undefined && { fromBlock }),
        ...(toBlock !== undefined && { toBlock }),
        addresses: address === undefined ? [] : decodeAddresses(address),
        topics: (topics ?? []).map(decodeTopics),
      };
    },
    encode({ addresses, topics, ...range }) {
      const places = topics.map((place) => (place.length === 0 ? null : place.map(bytesToHex)));
      return query.encode({ ...range, address: addresses.map(bytesToHex), topics: places });
    },
  };
}

/** The criteria of a log search. */
export const logQuery = querySchema(blockNumber);

/** The criteria of a log search in Klaytn v1.12.1. */
export const klaytnLogQuery = querySchema(klaytnBlockNumber);

function refusal(reason: string, got: Json): InvalidParamsError {
  return new InvalidParamsError(reason, { got, expects: logQuery.expects });
}

/** Maximum addresses, and topics per position, as in geth. */
const MAX_ALTERNATIVES = 1000;

function decodeAddresses(value: Json): Address[] {
  if (typeof value === "string") return [decodeSized(value, 20, "invalid address: ")];
  if (!Array.isArray(value)) throw refusal("invalid addresses in query", value);
  if (value.length > MAX_ALTERNATIVES) throw new InvalidParamsError("exceed max addresses");
  return value.map((item, i) => {
    if (typeof item !== "string") throw refusal(`non-string address at index ${i}`, value);
    return decodeSized(item, 20, `invalid address at index ${i}: `);
  });
}

function decodeTopics(value: Json): Hash[] {
  if (value === null) return [];
  if (typeof value === "string") return [decodeSized(value, 32, "")];
  if (!Array.isArray(value)) throw refusal("invalid topic(s)", value);
  if (value.length > MAX_ALTERNATIVES) throw new InvalidParamsError("exceed max topics");
  const found: Hash[] = [];
  for (const item of value) {
    // One null among the alternatives matches everything.
    if (item === null) return [];
    if (typeof item !== "string") throw refusal("invalid topic(s)", value);
    found.push(decodeSized(item, 32, ""));
  }
  return found;
}

function decodeSized(value: string, size: number, where: string): Uint8Array {
  const digits = value.slice(2);
  const problem =
    value === ""
      ? "empty hex string"
      : !/^0x/i.test(value)
        ? "hex string without 0x prefix"
        : !/^[0-9a-fA-F]*$/.test(digits)
          ? "invalid hex string"
          : digits.length % 2 !== 0
            ? "hex string of odd length"
            : digits.length !== size * 2
              ? `hex has invalid length ${digits.length / 2} after decoding`
              : undefined;
  if (problem !== undefined) throw refusal(where + problem, value);
  return hexToBytes(`0x${digits}`);
}

const filterId = text("filter id", "rpc.ID");
const id = required(filterId, "Id of the filter.");

/** Polled filters; dropped after five minutes without a poll. */
export const filters = {
  newFilter: method({
    summary: "Creates a filter for logs.",
    params: { filter: required(logQuery, "Which logs.") },
    result: filterId,
    scope: "node",
  }),
  newBlockFilter: method({
    summary: "Creates a filter for hashes of new blocks.",
    params: {},
    result: filterId,
    scope: "node",
  }),
  newPendingTransactionFilter: method({
    summary: "Creates a filter for hashes of transactions that become executable.",
    params: {},
    result: filterId,
    scope: "node",
  }),
  getFilterChanges: method({
    summary: "Events that a filter has collected since it was last polled.",
    params: { id },
    result: filterChanges,
    scope: "node",
    errors: [NO_FILTER],
  }),
  getFilterLogs: method({
    summary: "All logs of the chain that match a log filter.",
    params: { id },
    result: logs,
    scope: "node",
    errors: [NO_FILTER],
  }),
  uninstallFilter: method({
    summary: "Removes a filter; false when there is none with this id.",
    params: { id },
    result: boolean,
    scope: "node",
  }),
  getLogs: method({
    summary: "Logs of the chain that match; by default at most 10,000.",
    params: { filter: required(logQuery, "Which logs.") },
    result: logs,
    scope: "chain",
    blocks({ filter: { blockHash, fromBlock = "latest", toBlock = "latest" } }, latest) {
      if (blockHash !== undefined) return undefined;
      const [first, last] = [numberAt(fromBlock, latest), numberAt(toBlock, latest)];
      return { first, last, within: inFilter, join: joinedLists };
    },
    example: { params: [{ fromBlock: "0x0", toBlock: "latest" }], result: [] },
  }),
};

/** Events over WebSocket, IPC and the in-process provider. */
export const subscriptions = {
  newHeads: subscription({ summary: "Header of each new block.", params: {}, event: header, live: true }),
  logs: subscription({
    summary:
      "Logs of new blocks that match, and again with `removed` when their block is removed from the chain.",
    params: { filter: required(logQuery, "Which logs.") },
    event: log,
    live: true,
  }),
  newPendingTransactions: subscription({
    summary: "Each transaction that becomes executable: its hash or the transaction object.",
    params: {
      whole: optional(boolean, "Whether to send transaction objects; with --compat only false is served."),
    },
    event: pendingTransaction,
    live: true,
  }),
  syncing: subscription({
    summary: "Start of a synchronisation, with `syncing` and `status`, and its end: false.",
    params: {},
    event: nullable(syncStatus),
    live: true,
  }),
};
