import type { Field, Schema, Shape } from "../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { TypeCode } from "../../../protocol/transaction/types.ts";
import type { LocatedReceipt } from "../render/receipt.ts";
import { klaytnLogQuery, logQuery } from "../spec/logs/filters.ts";
import { blockNumber, blockRef, klaytnBlockNumber, klaytnBlockRef } from "../spec/values/block-ref.ts";
import { klaytnSendTxArgs, sendTxArgs } from "../spec/values/transaction-args.ts";
import type { Dialect } from "./dialect.ts";
import { withoutBlockOverrides } from "./kaia.ts";

type JsonObject = { [key: string]: Json };

/** Klaytn v1.12.1, according to recorded responses. */
export const klaytnDialect: Dialect = {
  chainNames: ["klay"],
  messageName: "Klaytn",
  hasOneMessageName: true,
  refusesUnknownBlocks: true,
  showsTotalDifficulty: true,
  unit: "peb",
  networkName: "Klaytn",
  pricesFollowTips: false,
  newestEthType: BigInt(TypeCode.dynamicFee),
  hiddenNamespaces: new Set(["miner", "trace", "ots", "erigon", "auction"]),
  phrases: new Map([
    ["recipient must be an EOA without code", "this type transaction cannot be sent to contract addresses"],
    [
      "recipient must be an EOA with code or an SCA",
      "not a program account (e.g., an account having code and storage)",
    ],
  ]),
  matchesAnvil: false,
  servesExtras: false,
  params: olderParams,
  account: olderAccount,
  receipt: withoutImpliedContract,
};

/** Schemas without `safe` and `finalized` blocks, and without authorizations. */
const olderSchemas = new Map<Schema<unknown>, Schema<unknown>>([
  [blockNumber as Schema<unknown>, klaytnBlockNumber as Schema<unknown>],
  [blockRef as Schema<unknown>, klaytnBlockRef as Schema<unknown>],
  [logQuery as Schema<unknown>, klaytnLogQuery as Schema<unknown>],
  [sendTxArgs as Schema<unknown>, klaytnSendTxArgs as Schema<unknown>],
]);

function olderParams(name: string, params: Shape): Shape {
  if (name === "newPendingTransactions") return {};
  const older = (field: Field<unknown>): Field<unknown> => {
    const schema = olderSchemas.get(field.schema);
    return schema === undefined ? field : { ...field, schema };
  };
  return Object.fromEntries(
    Object.entries(withoutBlockOverrides(params)).map(([key, field]) => [key, older(field)]),
  );
}

/**
 * Accounts without code omit the members about code. Contracts of the genesis block, the only ones whose nonce is 0, were written
 * with VM version 0.
 */
function olderAccount({ accType = null, account }: JsonObject): JsonObject {
  const members = account as JsonObject;
  if (accType === 1) {
    const { nonce, balance, humanReadable, key } = members as Record<string, Json>;
    return { accType, account: { nonce, balance, humanReadable, key } as JsonObject };
  }
  return { accType, account: members["nonce"] === 0 ? { ...members, vmVersion: 0 } : members };
}

/** Only deployments have a contract address, not all transactions without a recipient. */
function withoutImpliedContract(located: LocatedReceipt): LocatedReceipt {
  const { tx, receipt } = located;
  const { effect } = tx.type;
  if (receipt.contractAddress === undefined || effect === "deploy" || effect === "ethereum") return located;
  const { contractAddress: _, ...rest } = receipt;
  return { ...located, receipt: rest };
}
