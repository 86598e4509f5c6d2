import {
  CHAIN_MESSAGES,
  type MessageName,
  messageName,
} from "../../../../src/network/protocol/chain-messages.ts";
import { type Codec, decodeValue } from "../../../../src/network/protocol/codec.ts";
import { blockHash } from "../../../../src/protocol/block/hash.ts";
import { bytesToHex as hex, hexToBytes } from "../../../../src/protocol/primitives/hex.ts";
import { transactionHash } from "../../../../src/protocol/transaction/hash.ts";
import type { Transaction } from "../../../../src/protocol/transaction/transaction.ts";
import { casesOf, failureOf, same } from "../vector-case.ts";
import type { Published } from "./published.ts";

/** network/messages.json: every chain message, decoded and encoded. */
export const messages = casesOf((vector: Published) => {
  if (typeof vector.payload !== "string") return; // published by its hash: made by cases of serving.json
  const name = messageName(vector.code, 67) as MessageName;
  const codec = CHAIN_MESSAGES[name].codec as Codec<unknown>;
  const payload = hexToBytes(vector.payload);
  const value = decodeValue(codec, payload);
  same(hex(codec.write(value)), vector.payload, name);
  readings[name]?.(value, vector);
});

/** Checks of a message's members, besides the round trip. */
const readings: Partial<Record<MessageName, (value: Published, vector: Published) => void>> = {
  status(value, { chainId, networkId, totalBlockScore }) {
    const { chainId: id, networkId: network, totalBlockScore: score } = value;
    same(
      { chainId: id, networkId: network, totalBlockScore: score },
      { chainId, networkId, totalBlockScore },
      "status",
    );
  },
  transactions(value, { hashes }) {
    same(
      value.map((transaction: Transaction) => hex(transactionHash(transaction))),
      hashes,
      "hashes",
    );
  },
  headersRequest(value, { amount, number, hash, skip, reverse }) {
    const origin =
      "hash" in value.origin ? { hash: hex(value.origin.hash) } : { number: value.origin.number };
    const expected = hash === undefined ? { number } : { hash };
    same(
      { amount: value.amount, skip: value.skip, reverse: value.reverse, ...origin },
      { amount, skip, reverse, ...expected },
      "request",
    );
  },
  newBlock(value, { hash, totalBlockScore, transactions }) {
    const found = value.block.transactions.map((transaction: Transaction) =>
      hex(transactionHash(transaction)),
    );
    same(hex(blockHash(value.block.header)), hash, "hash");
    same(value.totalBlockScore, totalBlockScore, "score");
    same(found, transactions ?? [], "transactions");
  },
  stakingInfo([value], { info }) {
    same(value.gini, info.gini, "gini");
    same(value.amounts, info.councilStakingAmounts, "amounts");
    same(hex(value.kifAddress), info.kifAddr, "kif");
  },
  bid(value, { bid }) {
    same([value.nonce, value.bid, value.callGasLimit], [bid.nonce, bid.bid, bid.callGasLimit], "bid");
  },
};

/** network/messages-refused.json: payloads that the reference node's decoders accept or reject. */
export const judgedMessages = casesOf(({ code, payload, accepted, mayRefuse }: Published) => {
  const name = messageName(code, 67) as MessageName;
  const failure = failureOf(() =>
    decodeValue(CHAIN_MESSAGES[name].codec as Codec<unknown>, hexToBytes(payload)),
  );
  if (!mayRefuse) same(failure === null, accepted, failure ?? "accepted");
});
