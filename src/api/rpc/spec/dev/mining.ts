import { nullable } from "../../../../protocol/codec/json/object.ts";
import { boolean, string } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import { method } from "../method.ts";
import { amount, blockCount, count, done, mineOptions, plainNumber, spacing, timerLength } from "./values.ts";

/** Sealing blocks, and when. The same under `anvil_` and `hardhat_`. */
export const devMining = {
  mine: method({
    summary: "Mines blocks immediately; the first one includes the pending transactions.",
    params: {
      blocks: optional(blockCount, "Number of blocks; default 1."),
      interval: optional(spacing, "Seconds between them; default: as the clock advances, at least 1."),
    },
    result: done,
    scope: "node",
  }),
  getAutomine: method({
    summary: "Whether a block is mined as soon as a transaction can be executed.",
    params: {},
    result: boolean,
    scope: "node",
  }),
  setBlockTimestampInterval: method({
    summary: "Spaces the times of all further blocks evenly.",
    params: { interval: required(spacing, "Seconds under anvil_ and evm_, milliseconds under hardhat_.") },
    result: done,
    scope: "node",
  }),
  removeBlockTimestampInterval: method({
    summary: "Ends fixed spacing: blocks take their times from the clock again.",
    params: {},
    result: boolean,
    scope: "node",
  }),
};

/** The clock and the modes of sealing. The same under `evm_` and `anvil_`. */
export const devClock = {
  setAutomine: method({
    summary: "Sets whether a block is mined as soon as a transaction can be executed.",
    params: { enabled: required(boolean, "Whether to.") },
    result: done,
    scope: "node",
  }),
  setIntervalMining: method({
    summary: "Mines a block at an interval; 0 stops that.",
    params: {
      interval: required(timerLength, "Seconds; numbers from 1000 on are milliseconds, as Hardhat has it."),
    },
    result: done,
    scope: "node",
  }),
  increaseTime: method({
    summary: "Moves the chain's clock. Returns how far it is ahead of the wall clock, in seconds.",
    params: { seconds: required(count, "Seconds; negative numbers move it back.") },
    result: plainNumber,
    scope: "node",
  }),
  setNextBlockTimestamp: method({
    summary: "Fixes the time of the next block; the clock continues from there.",
    params: { timestamp: required(amount, "Seconds since 1970, after the time of the latest block.") },
    result: done,
    scope: "node",
  }),
  setTime: method({
    summary: "Sets the clock. Returns by how many seconds it was moved.",
    params: {
      timestamp: required(amount, "Seconds since 1970; numbers from 100000000000 on are milliseconds."),
    },
    result: plainNumber,
    scope: "node",
  }),
};

/** `evm_mine`. */
export const evmMining = {
  mine: method({
    summary: "Mines one or several blocks at once.",
    params: {
      options: optional(mineOptions, "Time of the block; or an object with timestamp and number of blocks."),
    },
    result: string,
    scope: "node",
  }),
};

/** Methods that only anvil has. */
export const anvilMining = {
  getIntervalMining: method({
    summary: "Seconds between blocks of interval mining; null when it is off.",
    params: {},
    result: nullable(plainNumber),
    scope: "node",
  }),
};
