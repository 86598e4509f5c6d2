import { InvalidParamsError, MismatchError } from "../../../protocol/codec/json/errors.ts";
import { quantity, quantity64, quantityDigits } from "../../../protocol/codec/json/hex.ts";
import { list, nullable } from "../../../protocol/codec/json/object.ts";
import { required, type Schema } from "../../../protocol/codec/json/schema.ts";
import { kindOf, numberText } from "../../../protocol/codec/json/value.ts";
import { MAX_UINT64 } from "../../../protocol/primitives/integers.ts";
import { type BlockRange, joinedFees } from "./block-range.ts";
import { method } from "./method.ts";
import { blockNumber, encodeNumber, numberAt } from "./values/block-ref.ts";
import { feeHistory, syncStatus } from "./values/wire-types.ts";

/** A count as a JSON number, a decimal string or a 0x-prefixed quantity. */
const count: Schema<bigint> = {
  title: "count",
  json: { oneOf: [{ type: "integer", minimum: 0 }, { type: "string" }] },
  expects: "a count (JSON integer, decimal or 0x-prefixed hex)",
  decode(value) {
    const text = typeof value === "string" ? value : (numberText(value) ?? JSON.stringify(value));
    if (/^\d{1,20}$/.test(text) && BigInt(text) <= MAX_UINT64) return BigInt(text);
    const details = { got: value, expects: this.expects };
    if (text === "") throw new InvalidParamsError("empty hex string", details);
    const parsed = quantityDigits(text, 64);
    if ("problem" in parsed) throw new InvalidParamsError(parsed.problem, details);
    return BigInt(`0x${parsed.digits}`);
  },
  encode: (value) => `0x${value.toString(16)}`,
};

const percentile: Schema<number> = {
  title: "percentile",
  json: { type: "number", minimum: 0, maximum: 100 },
  expects: "a number from 0 to 100",
  decode(value) {
    if (value === null) return 0;
    const text = numberText(value);
    if (text === undefined)
      throw new MismatchError(kindOf(value), "float64", { got: value, expects: this.expects });
    return Number(text);
  },
  encode: (value) => value,
};

/** Prices, and facts about the chain in both namespaces. */
export const fees = {
  gasPrice: method({
    summary: "Gas price that the next block accepts, with a margin.",
    params: {},
    result: quantity,
    scope: "node",
    example: { params: [], result: "0x66720b300" },
  }),
  maxPriorityFeePerGas: method({
    summary: "Suggested priority fee per gas: 0 unless blocks are full.",
    params: {},
    result: quantity,
    scope: "node",
    example: { params: [], result: "0x0" },
  }),
  feeHistory: method({
    summary: "Base fees, gas used ratios and priority fees of a range of blocks.",
    params: {
      blockCount: required(count, "Number of blocks; at most 1024."),
      newestBlock: required(blockNumber, "Last block of the range."),
      rewardPercentiles: required(
        nullable(list(percentile, "[]float64")),
        "Percentiles of the priority fees to return, in ascending order; null = none.",
      ),
    },
    result: feeHistory,
    scope: "chain",
    blocks({ blockCount, newestBlock }, latest) {
      const last = numberAt(newestBlock, latest);
      const within: BlockRange["within"] = (values, from, to) => [
        encodeNumber(to - from + 1n),
        encodeNumber(to),
        ...values.slice(2),
      ];
      return { first: last - blockCount + 1n, last, within, join: joinedFees };
    },
    example: {
      params: ["0x1", "latest", [50]],
      result: {
        oldestBlock: "0x0",
        reward: [["0x0"]],
        baseFeePerGas: ["0x5d21dba00", "0x5d21dba00"],
        blobBaseFeePerGas: ["0x2e90edd000", "0x2e90edd000"],
        gasUsedRatio: [0],
      },
    },
  }),
  upperBoundGasPrice: method({
    summary: "Upper bound of the base fee; before Magma the unit price.",
    params: {},
    result: quantity,
    scope: "chain",
    example: { params: [], result: "0xae9f7bcc00" },
  }),
  lowerBoundGasPrice: method({
    summary: "Lower bound of the base fee; before Magma the unit price.",
    params: {},
    result: quantity,
    scope: "chain",
    example: { params: [], result: "0x5d21dba00" },
  }),
  chainId: method({
    summary: "Chain id, by which signatures are protected from replay.",
    params: {},
    result: quantity,
    scope: "chain",
    example: { params: [], result: "0x539" },
  }),
  syncing: method({
    summary: "Progress of synchronisation; false when there is none.",
    params: {},
    result: syncStatus,
    scope: "node",
    example: { params: [], result: false },
  }),
};

/** The base fee alone. @see execution-apis, which the reference does not follow here */
export const nextBlockFee = {
  baseFee: method({
    summary: "Base fee of the next block in kei per gas; 0 before Magma.",
    params: {},
    result: quantity,
    scope: "node",
    example: { params: [], result: "0x5d21dba00" },
  }),
};

/** Facts about the chain in the chain namespace only. */
export const kaiaNetwork = {
  chainID: method({
    summary: "Chain id, by which signatures are protected from replay.",
    params: {},
    result: quantity,
    scope: "chain",
  }),
  protocolVersion: method({
    summary: "Version of the consensus protocol.",
    params: {},
    result: quantity64,
    scope: "chain",
  }),
};
